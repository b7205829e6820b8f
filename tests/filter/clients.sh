#!/bin/bash
# clients.sh: programs that people use, each over the filter, with names that are allowed and refused.
. "${srcdir:-.}/tests/filter/clients_lib.sh" || exit 1
for program in apt-get chromium curl wget git node openssl; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
"$PYTHON" -m pip --version >/dev/null 2>&1 || skip_all "needs pip"
clients_begin
git init -q --bare "$web/git/one.git"
git -C "$web/git/one.git" config http.receivepack true

# curl
check "curl, http" proxied curl -fsS -m 20 http://allowed.test/file
says "its body" '^a file$'
check "curl, https" proxied curl -fsS -m 20 https://allowed.test/file
says "its body" '^a file$'
status 22 "curl, http, refused" proxied curl -fsS -m 20 http://denied.test/file
says "is told the status" 403
status 56 "curl, https, refused" proxied curl -sS -m 20 https://denied.test/file
says "is told the status" 403
deny "case_H3: curl, https, another name in its hello" proxied curl -fsS -m 20 --connect-to denied.test:443:allowed.test:443 \
	https://denied.test/file
deny "case_H3: curl, https, another allowed name in its hello" proxied curl -fsS -m 20 \
	--connect-to other.test:443:allowed.test:443 https://other.test/file
deny "case_H6: curl, https, no name in its hello" proxied curl -fsSk -m 20 https://203.0.113.5/file
check "case_G6: curl, https, a root dot and capitals" proxied curl -fsSk -m 20 https://Allowed.Test./file
check "case_H3: curl, https, with a second hello" proxied curl -fsS -m 20 --curves X25519:P-384 \
	https://allowed.test:8443/file
check "case_J1: curl, http in a tunnel" proxied curl -fsS -m 20 -p http://allowed.test/file

# The variables, in both cases: curl takes the small ones of http, others the large ones.
alone() { as_user "$AGENT_UID" env -i PATH=/usr/bin:/bin "$@"; }
log_mark
status 6 "case_J2: curl does not heed HTTP_PROXY alone" alone HTTP_PROXY=http://127.0.0.1:3128 curl -sS -m 20 http://allowed.test/file
same "case_J2: the filter is not asked" "" "$(decisions decision host)"
check "case_J2: curl heeds http_proxy" alone http_proxy=http://127.0.0.1:3128 curl -fsS -m 20 http://allowed.test/file
check "case_J2: curl heeds HTTPS_PROXY" alone HTTPS_PROXY=http://127.0.0.1:3128 curl -fsSk -m 20 https://allowed.test/file
same "case_J2: what is not to be proxied, and nothing else" "localhost,127.0.0.1,::1 localhost,127.0.0.1,::1" \
	"$(proxied sh -c 'echo "$no_proxy $NO_PROXY"')"
loopback_serve
log_mark
for host in localhost 127.0.0.1 '[::1]'; do
	check "case_J2: curl reaches $host without the filter" proxied curl -fsS -m 20 "http://$host:8099/file"
done
# Python does not take the brackets off.
for host in localhost 127.0.0.1; do
	check "case_J2: Python reaches $host without the filter" proxied "$PYTHON" -c 'import sys, urllib.request
print(urllib.request.urlopen(sys.argv[1], timeout=20).read())' "http://$host:8099/file"
done
same "case_J2: which is not asked for it" "" "$(decisions decision host)"

# wget
check "wget, http" proxied wget -q -t 1 -T 20 -O - http://allowed.test/file
says "its body" '^a file$'
check "wget, https" proxied wget -q -t 1 -T 20 --ca-certificate="$web/certificate" -O - https://allowed.test/file
says "its body" '^a file$'
status 8 "wget, http, refused" proxied wget -t 1 -T 20 -O - http://denied.test/file
says "is told the status" '403'
deny "wget, https, refused" proxied wget -t 1 -T 20 -O - https://denied.test/file
says "is told the status" 'Forbidden'

# git
proxied git init -q "$home/work"
proxied sh -c "cd $home/work && head -c 5000000 /dev/urandom >large && git add large && \
	git -c user.name=a -c user.email=a@b commit -qm one" >/dev/null
for scheme in http https; do
	check "case_J5: git push of five megabytes, $scheme" proxied git -C "$home/work" push -q \
		"$scheme://allowed.test/git/one.git" "HEAD:refs/heads/$scheme"
	check "git clone, $scheme" proxied git clone -q -b "$scheme" "$scheme://allowed.test/git/one.git" \
		"$home/clone-$scheme"
	check "what was pushed is what was cloned, $scheme" cmp "$home/work/large" "$home/clone-$scheme/large"
	status 128 "git clone, $scheme, refused" proxied git clone -q "$scheme://denied.test/git/one.git" "$home/none"
	says "is told the status" 403
done

# Python
cat >"$home/fetch.py" <<'END'
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode().strip())
except urllib.error.HTTPError as error:
    print(error.code, error.headers["X-Egressfw-Rule"])
except OSError as error:
    print(error)
END
for scheme in http https; do
	check "urllib, $scheme" proxied "$PYTHON" "$home/fetch.py" "$scheme://allowed.test/file"
	says "its body" '^a file$'
	check "urllib, $scheme, refused" proxied "$PYTHON" "$home/fetch.py" "$scheme://denied.test/file"
	says "is told the status" 403
done

# pip, with a wheel made here.
"$PYTHON" - "$web/files/one-1.0-py3-none-any.whl" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("one.py", "")
    wheel.writestr("one-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: one\nVersion: 1.0\n")
    wheel.writestr("one-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("one-1.0.dist-info/RECORD", "one.py,,\n")
END
for scheme in http https; do
	check "pip, $scheme" proxied env PIP_CERT="$web/certificate" "$PYTHON" -m pip download -q --no-deps \
		--retries 0 --disable-pip-version-check -d "$home/$scheme" "$scheme://allowed.test/one-1.0-py3-none-any.whl"
	deny "pip, $scheme, refused" proxied env PIP_CERT="$web/certificate" "$PYTHON" -m pip download -q --no-deps \
		--retries 0 --disable-pip-version-check -d "$home/none-$scheme" "$scheme://denied.test/one-1.0-py3-none-any.whl"
	says "is told the status" 403
done

# Node, whose http module is told the proxy by hand; CONNECT for https.
cat >"$home/fetch.js" <<'END'
const http = require('http'), tls = require('tls');
const [scheme, host] = process.argv.slice(2);
const show = answer => {
	let body = '';
	answer.setEncoding('utf8').on('data', text => body += text).on('end', () => {
		console.log(answer.statusCode, body.trim());
		process.exit();
	});
};
const options = { host: '127.0.0.1', port: 3128, headers: { host } };
if (scheme === 'http')
	http.get({ ...options, path: `http://${host}/file` }, show);
else
	http.request({ ...options, method: 'CONNECT', path: `${host}:443` }).on('connect', (answer, socket) => {
		if (answer.statusCode !== 200) {
			console.log(answer.statusCode);
			process.exit();
		}
		http.get({ host, path: '/file',
			createConnection: () => tls.connect({ socket, servername: host }) }, show);
	}).end();
END
for scheme in http https; do
	check "node, $scheme" proxied timeout 30 node "$home/fetch.js" "$scheme" allowed.test
	says "its body" '^200 a file$'
	check "node, $scheme, refused" proxied timeout 30 node "$home/fetch.js" "$scheme" denied.test
	says "is told the status" '^403'
done
# apt, which asks for several files in one write.
: >"$web/files/Packages"
apt_update() {
	echo "deb [trusted=yes] http://$1 ./" >"$home/sources"
	mkdir -p "$home/apt/lists/partial" "$home/apt/archives/partial"
	chown -R "$AGENT_UID" "$home/apt"
	proxied timeout 60 apt-get -q -o Dir::Etc::SourceList="$home/sources" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State="$home/apt" -o Dir::Cache="$home/apt" -o APT::Sandbox::User= -o Acquire::Retries=0 \
		-o Dir::State::status=/dev/null -o APT::Update::Error-Mode=any update
}
check "apt" apt_update allowed.test
deny "apt, refused" apt_update denied.test
says "is told the status" 403

# A browser, whose hello has a large key share and the decoy of an encrypted one.
browse() {
	proxied timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --user-data-dir="$home/chromium" --ignore-certificate-errors \
		--proxy-server=http://127.0.0.1:3128 --dump-dom "$1"
}
check "case_H1: a browser, https" browse https://allowed.test/file
says "its page" 'a file'
check "a browser, http" browse http://allowed.test/file
says "its page" 'a file'
browse http://denied.test/file >"$WORLD/out" 2>"$WORLD/err" </dev/null
says "a browser is told that it is the policy" 'denied by policy'
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
