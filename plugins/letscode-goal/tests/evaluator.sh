#!/bin/sh
# Stands in for the program in tests: notes in the folder $NOTES what it was given, and gives what
# lies there as the answer, or does what $EVALUATOR says.
cat > "$NOTES/question"
printf '%s\n' "$@" > "$NOTES/arguments"
printf '%s\n' "$HOME" "$PWD" "$VIRTUAL_ENV" "$LETSCODE_MODEL" "$OPENAI_BASE_URL" > "$NOTES/variables"
printf '%s\n' "$LETSCODE_TRUST" > "$NOTES/trust"
find .letscode -type f -exec wc -c {} + > "$NOTES/project"
case "$EVALUATOR" in
    hangs)
        echo $$ > "$NOTES/number"
        exec sleep 600
        ;;
    fails)
        echo "warning: something" >&2
        echo "error: no server at $OPENAI_BASE_URL" >&2
        exit 1
        ;;
    floods) yes | head -c 1000000 ;;
    *) cat "$NOTES/answer" ;;
esac
