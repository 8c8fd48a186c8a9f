#!/bin/sh
# Is every flow of a properties file well? For Nagios, Icinga, Sensu and the like:
#     check_kmirror.sh FILE LAG_WARNING LAG_CRITICAL
# Ends with 0 (well), 1 (warning), 2 (critical) or 3 (unknown), and says why in one line.
file=${1:?a properties file} warning=${2:-10000} critical=${3:-100000}

command -v jq > /dev/null || { echo "UNKNOWN: jq is not installed"; exit 3; }
answer=$(kmirror status "$file" --json 2> /dev/null)
code=$?
case $code in
    0 | 3 | 5) ;;
    2) echo "CRITICAL: $file is wrong: kmirror status $file says where"; exit 2 ;;
    *) echo "UNKNOWN: kmirror status ended with $code"; exit 3 ;;
esac
[ -n "$answer" ] || { echo "UNKNOWN: kmirror status $file says nothing (exit code $code)"; exit 3; }

# One line for each thing that is not well: its level, and words.
found=$(printf '%s\n' "$answer" | jq -r --argjson warning "$warning" --argjson critical "$critical" '
    "\(.flow.source)->\(.flow.target)" as $flow
    | if .error then "2 \($flow): \(.error)" else
        (if .owner == null then "1 \($flow): never started" else empty end),
        (if (.owner.owner.hold // "") != "" then "2 \($flow): held by \(.owner.owner.hold)" else empty end),
        (.parked[] | "2 \($flow): parked \(.partition[0])-\(.partition[1]): \(.kind)"),
        (.coverage.problems[] | "2 \($flow): not mirrored \(.source_topic): \(.reason)"),
        (.coverage.unmatched[] | select(.is_named) | "2 \($flow): no topic \(.item)"),
        (if .coverage.selected == 0 then "2 \($flow): no topic is selected" else empty end),
        (if .lag_records > $critical then "2 \($flow): lag \(.lag_records)"
         elif .lag_records > $warning then "1 \($flow): lag \(.lag_records)" else empty end)
      end') || { echo "UNKNOWN: the answer is no JSON"; exit 3; }

if [ -z "$found" ]; then
    echo "OK: every flow is well"
    exit 0
fi
words=$(printf '%s\n' "$found" | cut -c 3- | paste -s -d ';' - | sed 's/;/; /g')
if printf '%s\n' "$found" | grep -q '^2'; then
    echo "CRITICAL: $words"
    exit 2
fi
echo "WARNING: $words"
exit 1
