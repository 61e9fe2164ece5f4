#!/bin/sh
# A tour of DoPeJar: learn, review, recall, show, undo, verify. It uses a temporary data directory, which is removed at
# the end; your own memory is not touched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
DOPEJAR_HOME=$(mktemp -d "${TMPDIR:-/tmp}/dopejar-demo.XXXXXX")
export DOPEJAR_HOME
trap 'rm -rf "$DOPEJAR_HOME"' EXIT INT TERM
cd "$here"

# Automation takes the name and the passphrase of its reviewer from the environment. People type theirs at a terminal.
DOPEJAR_REVIEWER=demo
DOPEJAR_REVIEWER_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export DOPEJAR_REVIEWER DOPEJAR_REVIEWER_SECRET

chapter() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# Print a command, then run it. Exit code 4 means that everything waits for review, which is not a failure here.
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

chapter "2. Statements of a program wait for review"
run remember "Never force-push to main."
# People make their reviewer at a terminal, with `dopejar reviewer add NAME`; this tour may run without one.
python -c "import os, dopejar
with dopejar.open_memory() as memory: memory.reviewers.add('demo', os.environ['DOPEJAR_REVIEWER_SECRET'])"
run review list
run review show 1
run review approve 1

chapter "3. Recall with citations"
run recall "which port does Postgres listen on?" --project harbour --budget 150
run recall "which port does Postgres listen on?" --project harbour --records-only --as-of 2026-03-15

chapter "4. Show who changed what, and why"
run show LocallyPostgre-Config-Port
run log --limit 8

chapter "5. Undo a whole conversation: the older answer is active again"
run undo --conversation planning
run recall "which port does Postgres listen on?" --project harbour --records-only

chapter "6. Verify the hash chain of the ledger"
run log --verify

chapter "7. The hooks of a coding assistant: one recalls at a prompt, one refuses a command that breaks an approved rule"
run review approve "$(dopejar review list | awk '/force-push/ { print $1 }')"
hook() {
	printf '\n$ echo '"'%s'"' | dopejar-hook --deny\n' "$1"
	printf '%s' "$1" | dopejar-hook --deny
}
hook '{"hook_event_name": "UserPromptSubmit", "session_id": "demo", "cwd": "'"$here"'", "prompt": "does my sister come along?"}'
hook '{"hook_event_name": "PreToolUse", "session_id": "demo", "cwd": "'"$here"'", "tool_name": "Bash", "tool_input": {"command": "git push --force"}}'
