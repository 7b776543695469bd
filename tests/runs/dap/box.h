int box_open(int key);
