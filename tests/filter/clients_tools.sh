#!/bin/bash
# clients_tools.sh: the tools of languages (cargo, go, npm, Java, Node), each with names that are allowed and refused.
. "${srcdir:-.}/tests/filter/clients_lib.sh" || exit 1
# Debian's own, since the agent cannot reach what root has in its home.
for program in cargo git go java keytool node npm openssl; do
	[ -x "/usr/bin/$program" ] || skip_all "needs the program $program"
done
clients_begin

# refused HOST: the last decision was about it.
refused() {
	same "the log has it: $1, refused" "block $1 443" "$(decisions decision host port | tail -n 1)"
}

# cargo, with a registry that is a git repository, and a crate from it.
crate=$WORLD/crate/one-0.1.0
mkdir -p "$crate/src"
printf '[package]\nname = "one"\nversion = "0.1.0"\n' >"$crate/Cargo.toml"
: >"$crate/src/lib.rs"
tar -C "$WORLD/crate" -czf "$web/files/one-0.1.0.crate" one-0.1.0
index=$WORLD/index
git init -q "$index"
mkdir -p "$index/3/o"
printf '{ "dl": "https://allowed.test/{crate}-{version}.crate" }\n' >"$index/config.json"
printf '{"name":"one","vers":"0.1.0","deps":[],"cksum":"%s","features":{},"yanked":false}\n' \
	"$(sha256sum <"$web/files/one-0.1.0.crate" | cut -d ' ' -f 1)" >"$index/3/o/one"
git -C "$index" add .
git -C "$index" -c user.name=a -c user.email=a@b commit -qm one
git clone -q --bare "$index" "$web/git/index.git"
cargo_fetch() {
	local folder=$home/cargo-$1
	mkdir -p "$folder/src"
	: >"$folder/src/lib.rs"
	cat >"$folder/Cargo.toml" <<-'END'
		[package]
		name = "mine"
		version = "0.1.0"
		[dependencies]
		one = { version = "0.1.0", registry = "test" }
	END
	chown -R "$AGENT_UID" "$folder"
	proxied timeout 120 env -C "$folder" CARGO_HOME="$folder/home" CARGO_NET_RETRY=0 \
		CARGO_REGISTRIES_TEST_INDEX="https://$1/git/index.git" cargo fetch
}
check "cargo, a registry and a crate" cargo_fetch allowed.test
check "the crate is the one of the registry" cmp "$web/files/one-0.1.0.crate" \
	"$(find "$home/cargo-allowed.test/home" -name one-0.1.0.crate)"
log_mark
deny "cargo, refused" cargo_fetch denied.test
says "is told the status" 403
refused denied.test

# go, with a module from a proxy of modules.
printf '{"Version":"v1.0.0"}' >"$web/files/v1.0.0.info"
printf 'module example.test/one\n' >"$web/files/v1.0.0.mod"
"$PYTHON" - "$web/files/v1.0.0.zip" <<'END'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as module:
    module.writestr("example.test/one@v1.0.0/go.mod", "module example.test/one\n")
    module.writestr("example.test/one@v1.0.0/one.go", "package one\n")
END
go_download() {
	proxied timeout 120 env GOPATH="$home/go-$1" GOCACHE="$home/go-cache" GOSUMDB=off GOPROXY="https://$1" \
		go mod download -json example.test/one@v1.0.0
}
check "go, a module" go_download allowed.test
check "the module is the one of the proxy" cmp "$web/files/v1.0.0.zip" \
	"$home/go-allowed.test/pkg/mod/cache/download/example.test/one/@v/v1.0.0.zip"
log_mark
deny "go, refused" go_download denied.test
says "is told so" 'Forbidden'
refused denied.test

# npm, with a package from a registry.
mkdir "$WORLD/package"
printf '{ "name": "one", "version": "1.0.0" }\n' >"$WORLD/package/package.json"
echo 'module.exports = 1' >"$WORLD/package/index.js"
tar -C "$WORLD" -czf "$web/files/one-1.0.0.tgz" package
printf '{ "name": "one", "dist-tags": { "latest": "1.0.0" }, "versions": { "1.0.0": { "name": "one",
	"version": "1.0.0", "dist": { "tarball": "https://allowed.test/one-1.0.0.tgz", "integrity": "sha512-%s" } } } }\n' \
	"$(openssl dgst -sha512 -binary "$web/files/one-1.0.0.tgz" | base64 -w 0)" >"$web/files/one"
npm_of() {
	local host=$1
	shift
	proxied timeout 120 npm --registry "https://$host/" --fetch-retries 0 --no-update-notifier --no-audit --no-fund \
		--prefix "$home/npm" "$@"
}
check "npm view" npm_of allowed.test view one version
says "has the version" '^1\.0\.0$'
check "npm install" npm_of allowed.test install one
check "the package is the one of the registry" cmp "$WORLD/package/index.js" "$home/npm/node_modules/one/index.js"
log_mark
deny "npm view, refused" npm_of denied.test view one version
refused denied.test

# Java, by the two clients that it has; it is told by JAVA_TOOL_OPTIONS.
keytool -importcert -noprompt -alias test -file "$web/certificate" -keystore "$web/trust" -storepass changeit 2>/dev/null
chmod 644 "$web/trust"
cat >"$home/Fetch.java" <<'END'
import java.io.IOException;
import java.net.*;
import java.net.http.*;

class Fetch {
	public static void main(String[] arguments) throws Exception {
		URI target = URI.create(arguments[1]);
		try {
			if (arguments[0].equals("connection")) {
				HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
				System.out.println(connection.getResponseCode());
				System.out.println(new String(connection.getInputStream().readAllBytes()));
			} else {
				HttpResponse<String> answer = HttpClient.newHttpClient().send(
					HttpRequest.newBuilder(target).build(), HttpResponse.BodyHandlers.ofString());
				System.out.println(answer.statusCode());
				System.out.println(answer.body());
			}
		} catch (IOException error) {
			System.out.println(error);
			System.exit(1);
		}
	}
}
END
java_fetch() {
	proxied timeout 60 java -Djavax.net.ssl.trustStore="$web/trust" \
		-Djavax.net.ssl.trustStorePassword=changeit "$home/Fetch.java" "$@"
}
for kind in connection client; do
	for scheme in http https; do
		check "case_J6: Java, $kind, $scheme" java_fetch $kind $scheme://allowed.test/file
		says "its body" '^a file$'
		java_fetch $kind $scheme://denied.test/file >"$WORLD/out" 2>"$WORLD/err" </dev/null
		says "case_J6: Java, $kind, $scheme, refused: is told the status" 403
	done
done
says "case_J6: Java says on standard error where its options are from" '^Picked up JAVA_TOOL_OPTIONS: '

# Without the variable each fails at once, and the filter is not asked.
log_mark
for kind in connection client; do
	status 1 "case_J6: Java, $kind, that is told of no proxy" proxied timeout 30 env -u JAVA_TOOL_OPTIONS \
		java "$home/Fetch.java" $kind http://allowed.test/file
	says "case_J6: is refused, or cannot look it up" 'ConnectException|UnknownHostException|UnresolvedAddressException'
done
same "case_J6: the filter is not asked" "" "$(decisions decision host)"
# What is on loopback is reached without it.
loopback_serve
for kind in connection client; do
	for host in localhost 127.0.0.1 '[::1]'; do
		check "case_J2: Java, $kind, $host" java_fetch $kind "http://$host:8099/file"
		says "its body" '^a file$'
	done
done
same "case_J2: the filter is not asked for it" "" "$(decisions decision host)"

# Node's fetch. From 22.21 on it reads the variables itself; before, programs set undici's dispatcher, which npm brings.
node_fetch() {
	proxied timeout 60 node "$home/fetch.js" "$@"
}
cat >"$home/fetch.js" <<'END'
const [target, undici] = process.argv.slice(2)
if (undici) {
	const { EnvHttpProxyAgent, ProxyAgent, setGlobalDispatcher } = require(undici)
	setGlobalDispatcher(EnvHttpProxyAgent ? new EnvHttpProxyAgent() : new ProxyAgent(process.env.https_proxy))
}
fetch(target)
	.then(async answer => console.log(answer.status, await answer.text()))
	.catch(error => { console.log(error.cause); process.exit(1) })
END
undici=
if ! node -e 'process.exit(process.allowedNodeEnvironmentFlags.has("--use-env-proxy") ? 0 : 1)'; then
	log_mark
	deny "case_J1: Node's fetch, of a Node that cannot be told of a proxy" node_fetch https://allowed.test/file
	same "the filter is not asked" "" "$(decisions decision host)"
	for undici in /usr/share/nodejs/undici /usr/lib/node_modules/npm/node_modules/undici; do
		[ ! -e "$undici/package.json" ] || break
	done
fi
for scheme in http https; do
	check "case_J1: Node's fetch, $scheme" node_fetch $scheme://allowed.test/file "$undici"
	says "its body" '^200 a file$'
	log_mark
	node_fetch $scheme://denied.test/file "$undici" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	same "case_J1: Node's fetch, $scheme, refused" "block denied.test" "$(decisions decision host | tail -n 1)"
done
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
