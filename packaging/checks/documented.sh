#!/usr/bin/env bash
# Holds the manual and the completions to what the program's own help says: every command and option of the program
# stands in each of them, and they name none that the program does not have.
#
# usage: packaging/checks/documented.sh PROGRAM
set -euo pipefail

program=$(realpath "${1:?usage: documented.sh PROGRAM}")
cd "$(dirname "$0")/.."
failures=0
complain() {
    printf 'error: %s\n' "$1" >&2
    failures=$((failures + 1))
}

# Long options and commands as the program's help lists them.
commands=$("$program" --help | awk '/^Commands:/ {on = 1; next} /^$/ {on = 0} on {print $1}')
optionsOf() { "$program" "$1" --help | grep -E '^ +-' | grep -oE -- '--[a-z][a-z-]*' | sort -u; }
allOptions=$(for command in $commands; do optionsOf "$command"; done | cat - <(printf -- '--help\n--version\n') | sort -u)
[ "$(wc -w <<<"$commands")" -ge 5 ] || complain "the help lists too few commands: $commands"
[ "$(wc -w <<<"$allOptions")" -ge 20 ] || complain "the help lists too few options: $allOptions"

manual=$(sed 's/\\-/-/g; s/\\f[BIR]//g' man/tessera.1)
bashFile=$(cat completions/tessera.bash) zshFile=$(cat completions/_tessera) fishFile=$(cat completions/tessera.fish)

contains() { grep -qE -- "(^|[^a-z-])$2([^a-z-]|\$)" <<<"$1"; }
for command in $commands; do
    contains "$manual" "$command" || complain "the manual leaves out the command '$command'"
    contains "$bashFile" "$command" || complain "the completion for bash leaves out the command '$command'"
    contains "$zshFile" "$command" || complain "the completion for zsh leaves out the command '$command'"
    contains "$fishFile" "$command" || complain "the completion for fish leaves out the command '$command'"
    for option in $(optionsOf "$command"); do
        contains "$manual" "$option" || complain "the manual leaves out $option ($command)"
        contains "$bashFile" "$option" || complain "the completion for bash leaves out $option ($command)"
        contains "$zshFile" "$option" || complain "the completion for zsh leaves out $option ($command)"
        contains "$fishFile" "-l ${option#--}" || complain "the completion for fish leaves out $option ($command)"
    done
done

# The other way round; a line of shell code may hold an option of another program after its name.
while read -r option; do
    grep -qx -- "$option" <<<"$allOptions" || complain "the manual explains $option, which the program does not have"
done < <(grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' <<<"$manual" | grep -oE -- '--[a-z-]+' | sort -u)
while read -r option; do
    grep -qx -- "$option" <<<"$allOptions" || complain "the completion for fish offers $option, which the program does not have"
done < <(grep '^complete' <<<"$fishFile" | grep -oE -- ' -l [a-z-]+' | awk '{print "--" $2}' | sort -u)
[ "$failures" -eq 0 ] || exit 1
echo "$(wc -w <<<"$commands") commands and $(wc -w <<<"$allOptions") options stand in the manual and the completions"
