# Sourced by the scripts that make a root file system. Files come from Debian packages, without installing anything and
# without root.
set -eu

# The packages are kept here, by their full names, so that a rebuild downloads nothing.
debs=${XDG_CACHE_HOME:-$HOME/.cache}/polecat/debs

# deb NAME: prints the path of the package file, after downloading it when it is not there.
deb() {
	line=$(apt-get download --print-uris "$1" 2>/dev/null) && [ -n "$line" ] || {
		echo "$0: apt knows no package '$1': expected Debian's package lists; 'apt-get update' fetches them" >&2
		return 1
	}
	file=$(printf '%s\n' "$line" | cut -d' ' -f2)
	if [ ! -s "$debs/$file" ]; then
		mkdir -p -m 700 "$debs"
		part=$(mktemp -d "$debs/.part.XXXXXX")
		# As root, apt would download as a user who cannot write here.
		(cd "$part" && apt-get -qq -o APT::Sandbox::User=root download "$1" >log 2>&1) || {
			echo "$0: downloading $1 failed: $(tail -n 1 "$part/log")" >&2
			rm -rf "$part"
			return 1
		}
		mv "$part"/*.deb "$debs/$file"
		rm -rf "$part"
	fi
	echo "$debs/$file"
}

# skeleton ROOT: what every Unix program expects to find.
skeleton() {
	mkdir -p "$1/etc" "$1/tmp" "$1/bin" "$1/dev" "$1/proc" "$1/sys" "$1/var" "$1/run"
	chmod 1777 "$1/tmp"
	printf 'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$1/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$1/etc/group"
	printf 'passwd: files\ngroup: files\nhosts: files\n' >"$1/etc/nsswitch.conf"
}

# needed FILE: the names of the shared libraries that an ELF file asks for.
needed() {
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# libraries FROM ROOT FILE...: copies the programs' shared libraries, and those that these need, from the unpacked tree FROM
# into ROOT/lib/x86_64-linux-gnu, where the loader looks first.
libraries() {
	from=$1 into=$2/lib/x86_64-linux-gnu
	loader=$2/lib64/ld-linux-x86-64.so.2
	shift 2
	mkdir -p "$into" "${loader%/*}"
	while [ $# -gt 0 ]; do
		for name in $(needed "$1"); do
			[ ! -e "$into/$name" ] || continue
			file=$(find "$from" -path "*/x86_64-linux-gnu/$name" | head -n 1)
			[ -n "$file" ] || {
				echo "$0: $1 needs $name, which none of the packages has" >&2
				return 1
			}
			# The name may be a link to the file with the full version.
			cp -L "$file" "$into/$name"
			chmod 755 "$into/$name"
			set -- "$@" "$into/$name"
		done
		shift
	done
	cp -L "$into/ld-linux-x86-64.so.2" "$loader" 2>/dev/null ||
		cp "$(find "$from" -path '*/x86_64-linux-gnu/ld-linux-x86-64.so.2' -type f | head -n 1)" "$loader"
	rm -f "$into/ld-linux-x86-64.so.2"
}
