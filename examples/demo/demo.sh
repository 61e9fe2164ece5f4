#!/bin/sh
# A walk through DoPeJar: learn, review, recall, history, undo, verify. It runs in a data directory of its own, which is
# removed at the end; your memory is not touched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
DOPEJAR_HOME=$(mktemp -d "${TMPDIR:-/tmp}/dopejar-demo.XXXXXX")
export DOPEJAR_HOME
trap 'rm -rf "$DOPEJAR_HOME"' EXIT INT TERM
cd "$here"

# A reviewer for automation: name and passphrase come from the environment. People type theirs at a terminal.
DOPEJAR_REVIEWER=demo
DOPEJAR_REVIEWER_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export DOPEJAR_REVIEWER DOPEJAR_REVIEWER_SECRET

chapter() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# Print a command, then run it. Exit code 4 means that everything waits for a reviewer, which is no failure here.
run() {
	printf '\n$ dopejar'
	for word in "$@"; do
		case $word in *[!A-Za-z0-9_./:=@-]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
	done
	printf '\n'
	dopejar "$@" || { code=$?; [ "$code" -eq 4 ] || exit "$code"; }
}

chapter "1. Learn from a coding session, and from a chat six weeks later"
run learn claude-code-session.jsonl chat.jsonl --project harbour

chapter "2. What a program says waits for a person"
run remember "Never force-push to main."
run reviewer add demo
run review list
run review show 1
run review approve 1

chapter "3. Ask, and see where the answer comes from"
run recall "which port does Postgres listen on?" --project harbour --budget 150
run recall "which port does Postgres listen on?" --project harbour --records-only --as-of 2026-03-15

chapter "4. Who changed what, and why"
run history LocallyPostgre-Config-Port
run log --limit 8

chapter "5. Take a whole conversation back: the older answer holds again"
run undo --conversation planning
run recall "which port does Postgres listen on?" --project harbour --records-only

chapter "6. The ledger's chain holds"
run log --verify
