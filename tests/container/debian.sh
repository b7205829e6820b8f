# debian.sh: Debian by debootstrap, of the packages that this machine has; sourced by engine.sh.
# shellcheck shell=bash
#
#   debian_bootstrap        makes $debian_tar, once for all scripts of a build directory
#   debian_says             where its packages came from, as a comment
#
# debootstrap has no network: a mirror is made for it. Versions are those that are installed here, so that they fit
# each other: from apt's cache, by `apt-get download`, or made again of the files of the installed package.

debian_place=$BUILDDIR/tests/container/debian
debian_tar=$debian_place/tree.tar
debian_arch=$(dpkg --print-architecture 2>/dev/null)

# installed_with PACKAGE...: these and what they depend on, of what is installed, whatever alternative that is. What may
# be of any architecture (python3:any) is an interpreter, which no image needs.
installed_with() {
	dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Pre-Depends}, ${Depends}\t${Provides}\n' | awk -F '\t' -v roots="$*" '
		function follow(name, part, count, i) {
			if (name in seen) return
			seen[name]
			if (name in needs) print name
			count = split(needs[name] " " providers[name], part, " ")
			for (i = 1; i <= count; i++) follow(part[i])
		}
		function names(text) { gsub(/\([^)]*\)/, "", text); gsub(/[,|]/, " ", text); return text }
		$1 == "installed" {
			needs[$2] = needs[$2] " " names($3)
			count = split(names($4), virtual, " ")
			for (i = 1; i <= count; i++) providers[virtual[i]] = providers[virtual[i]] " " $2
		}
		END { count = split(roots, root, " "); for (i = 1; i <= count; i++) follow(root[i]) }' | sort -u
}

# What debootstrap's minbase takes, and what that depends on: NAME VERSION ARCHITECTURE.
debian_packages() {
	installed_with $(dpkg-query -W -f '${Priority} ${Essential} ${db:Status-Status} ${Package}\n' |
		awk '($1 == "required" || $2 == "yes") && $3 == "installed" { print $4 }') apt usr-is-merged |
		xargs dpkg-query -W -f '${db:Status-Status} ${Package} ${Version} ${Architecture}\n' |
		awk -v native="$debian_arch" '$1 == "installed" && ($4 == native || $4 == "all") { print $2, $3, $4 }'
}

# The name that apt gives a package's file.
debian_file() { # NAME VERSION ARCHITECTURE
	echo "$1_${2/:/%3a}_$3.deb"
}

# debian_missing DIRECTORY <PACKAGES: those whose file is not there
debian_missing() {
	local name version arch
	while read -r name version arch; do
		[ -e "$1/$(debian_file "$name" "$version" "$arch")" ] || echo "$name $version $arch"
	done
}

debian_cached() { # DIRECTORY <PACKAGES
	local name version arch archives file
	eval "$(apt-config shell archives Dir::Cache::archives/d)"
	while read -r name version arch; do
		file=$archives$(debian_file "$name" "$version" "$arch")
		[ ! -e "$file" ] || cp "$file" "$1"
	done
}

# Those that apt knows a source of. One that is cut off leaves a part of a file.
debian_downloaded() { # DIRECTORY <PACKAGES
	local file
	awk '{ print $1 "=" $2 }' | xargs -r apt-cache show 2>/dev/null | awk '
		/^Package:/ { name = $2 } /^Version:/ { version = $2 } /^Filename:/ { print name "=" version }' | sort -u |
		(cd "$1" && xargs -r timeout 60 apt-get download -q -o Acquire::Retries=0 -o Acquire::http::Timeout=10) && return
	for file in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$file" >/dev/null 2>&1 || rm "$file"
	done
}

# debian_controls <PACKAGES: their control files in control/, as a package has them
debian_controls() {
	mkdir control
	awk '{ print $3 == "all" ? $1 : $1 ":" $3 }' | xargs -r dpkg-query -s | awk '
		/^Package: / { file = "control/" $2 }
		/^[^ ]/ { wanted = !/^(Status|Conffiles|Config-Version|Triggers-[A-Za-z]*):/ }
		wanted && NF > 0 { print >file }
		NF == 0 { close(file) }'
}

# debian_rebuilt DIRECTORY NAME VERSION ARCHITECTURE: without what images leave out anyway
debian_rebuilt() {
	local file tree=$PWD/package info=/var/lib/dpkg/info/$2 part
	file=$1/$(debian_file "$2" "$3" "$4")
	[ -e "$info.list" ] || info+=:$4
	mkdir -p "$tree/DEBIAN"
	cp "control/$2" "$tree/DEBIAN/control"
	for part in "$info".*; do
		[ "${part##*.}" = list ] || cp -p "$part" "$tree/DEBIAN/${part##*.}"
	done
	# The first are links since /usr was merged, and directories to a package.
	sed -n 's|^/\(bin\|sbin\|lib[0-9a-z]*\)$|\1|p' "$info.list" | (cd "$tree" && xargs -r mkdir)
	grep -vE '^/((bin|sbin|lib[0-9a-z]*)|\.|usr/share/(doc|man|locale|info)/.*)$' "$info.list" | sed 's|^/||' |
		tar -C / --no-recursion -c -T - 2>/dev/null | tar -C "$tree" -x --same-owner -p
	if [ -e "$tree/DEBIAN/conffiles" ]; then
		while read -r part; do
			[[ $part == /* && ! -e $tree$part ]] || echo "$part"
		done <"$tree/DEBIAN/conffiles" >conffiles
		mv conffiles "$tree/DEBIAN/conffiles"
	fi
	dpkg-deb -Znone --build "$tree" "$file" >/dev/null && rm -rf "$tree"
}

# debian_mirror SUITE <PACKAGES: their files and lists, in this directory
debian_mirror() {
	local packages cached downloaded name version arch lists
	lists=main/binary-$debian_arch
	packages=$(cat)
	mkdir -p pool "dists/$1/$lists"
	debian_cached pool <<<"$packages"
	cached=$(find pool -type f | wc -l)
	debian_missing pool <<<"$packages" | debian_downloaded pool
	downloaded=$(($(find pool -type f | wc -l) - cached))
	debian_missing pool <<<"$packages" >missing
	debian_controls <missing
	while read -r name version arch; do
		debian_rebuilt pool "$name" "$version" "$arch" || return
	done <missing
	echo "$cached packages from apt's cache, $downloaded downloaded, $(wc -l <missing) made again of installed ones" >report
	dpkg-scanpackages -h sha256 pool >"dists/$1/$lists/Packages" || return
	printf 'Suite: %s\nCodename: %s\nArchitectures: %s\nComponents: main\nSHA256:\n %s %d %s\n' "$1" "$1" \
		"$debian_arch" "$(sha256sum <"dists/$1/$lists/Packages" | cut -d ' ' -f 1)" \
		"$(stat -c %s "dists/$1/$lists/Packages")" "$lists/Packages" >"dists/$1/Release"
}

# In a mount namespace of its own. What is left out of the tar are the files that slim images leave out, and an engine's.
debian_make() {
	local suite
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mount -t tmpfs -o mode=755 tmpfs "$debian_place/work" && cd "$debian_place/work" || return
	debian_packages | debian_mirror "$suite" || return
	unshare --net -- debootstrap --variant=minbase --no-check-gpg --arch="$debian_arch" "$suite" "$PWD/tree" \
		"file://$PWD" || { cat tree/debootstrap/debootstrap.log; return 1; }
	tar -C tree --one-file-system --numeric-owner --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' \
		--exclude='./usr/share/locale/*' --exclude='./usr/share/info/*' --exclude='./var/cache/apt/*' \
		--exclude='./var/lib/apt/lists/*' --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' -c . \
		>"$debian_tar.new" &&
		echo "debootstrap of $suite: $(cat report)" >"$debian_place/report" && mv "$debian_tar.new" "$debian_tar"
}

# Leaves the shell that runs it: it is for a job of its own.
debian_bootstrap() {
	mkdir -p "$debian_place/work"
	exec 9>"$debian_place/lock" </dev/null
	flock 9
	[[ $debian_tar -nt /var/lib/dpkg/status && $debian_tar -nt $SRCDIR/tests/container/debian.sh ]] && exit
	BUILDDIR=$BUILDDIR setpriv --pdeathsig KILL \
		unshare --mount --pid --fork --kill-child --mount-proc --propagation private -- \
		bash -c '. "$0" && debian_make' "$SRCDIR/tests/container/debian.sh" >"$debian_place/log" 2>&1 9>&- && exit
	tail -n 30 "$debian_place/log" | sed 's/^/# /'
	echo 'Bail out! debootstrap failed'
	exit 1
}

debian_says() {
	sed 's/^/# /' "$debian_place/report"
}
