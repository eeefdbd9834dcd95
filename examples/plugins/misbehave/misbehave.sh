#!/bin/sh
# A plugin that does wrong whatever a plugin can do wrong, to show that a run ends well all the same.
# usage: misbehave.sh MODE
# In mode `well` it behaves: a tool, a slash command, and all hooks, in a language without JSON. With
# hangs-in-TYPE and dies-in-TYPE it does so at a line of that type.

mode=$1
asked=
holds=false
hooks='"system_prompt","before_tool_call","after_tool_call","transform_context","convert_to_llm",
"render_custom_message","on_event"'

say() {
  printf '%s\n' "$1"
}

hello() {
  say '{"type":"hello","protocol":"'"${1:-letscode-plugin/1}"'","name":"misbehave","version":"1.0.0","registers_later":'"${2:-false}"',
"capabilities":{"fail_closed":'"${3:-false}"',"holds_end":'"$holds"',"hooks":['"$hooks"']},
"registrations":{"tools":[{"name":"poke","description":"Pokes.","parameters":{"type":"object","properties":{}}}],
"commands":[{"name":"poke","description":"Poke","usage":"[TEXT]"}]}}' | tr -d '\n'
  echo
}

reply() {
  printf '{"type":"reply","call":%s,"result":%s}\n' "$number" "$1"
}

forever() {
  # Not `exec`: the shell has a child, which has to go with it.
  sleep 1000
}

case $mode in
  exits-before-hello) exit 3 ;;
  chats-before-hello) say 'debug: starting up' ;;
  never-says-hello) forever ;;
  closes-stdout) exec 1>&-; forever ;;
  # A shell reads slowly.
  answers-hugely) hooks= ;;
  well | hangs-in-hooks | *-in-event) holds=true ;;
  floods-stderr) yes 'a line of the log' 1>&2 & ;;
esac

while IFS= read -r line; do
  number=${line#*\"call\":}
  number=${number%%[,\}]*}
  kind=${line#*\"type\":\"}
  kind=${kind%%\"*}
  case $kind:$line in
    # What is only told is not answered by anybody.
    event:*\"type\":\"event\",\"event\":*) ;;
    *)
      case $mode in
        "hangs-in-$kind") continue ;;
        "dies-in-$kind") exit 7 ;;
      esac
      ;;
  esac
  case $line in
    '{"type":"hello"'*)
      case $mode in
        wrong-version) hello letscode-plugin/2 ;;
        never-registers) hello letscode-plugin/1 true ;;
        dies-as-a-guard) hello letscode-plugin/1 false true; exit 4 ;;
        *) hello ;;
      esac
      case $mode in
        floods-stdout) yes '{"type":"ui","request":{"kind":"notify","text":"flood"}}' ;;
        floods-with-calls) yes '{"type":"command","call":7,"command":{"cmd":"state"}}' ;;
        leaves-a-child) sleep 1000 & ;;
        leaves-its-numbers)
          sleep 1000 &
          printf '%s\n%s\n' "$$" "$!" > numbers.new
          mv numbers.new numbers
          ;;
        *-in-render_custom_message)
          say '{"type":"save_message","call":8,"kind":"note","payload":{"text":"noted"}}'
          ;;
        asks-forever) say '{"type":"ui","call":1,"request":{"kind":"confirm","text":"sure?"}}' ;;
      esac
      ;;
    '{"type":"goodbye"'*)
      case $mode in
        ignores-goodbye) forever ;;
        *) exit 0 ;;
      esac
      ;;
    '{"type":"call_tool"'*)
      case $mode in
        writes-no-json) say 'debug: called'; reply '{"content":[]}' ;;
        writes-half-a-line) printf '{"type":"reply","call":' ; exit 0 ;;
        writes-a-huge-line) head -c 70000000 /dev/zero | tr '\0' a; forever ;;
        answers-nonsense) reply '{"content":"no list"}' ;;
        answers-others) number=99999; reply '{"content":[]}'; exit 6 ;;
        answers-hugely)
          printf '{"type":"reply","call":%s,"result":{"content":[{"type":"text","text":"' "$number"
          head -c 5000000 /dev/zero | tr '\0' a
          say '"}]}}'
          ;;
        asks)
          say '{"type":"ui","call":9,"request":{"kind":"select","text":"which?","options":["a","b"]}}'
          asked=$number
          ;;
        refuses) printf '{"type":"reply","call":%s,"error":"not today"}\n' "$number" ;;
        *) reply '{"content":[{"type":"text","text":"poked"}]}' ;;
      esac
      ;;
    '{"type":"run_command"'*) reply '{"text":"poked"}' ;;
    '{"type":"before_tool_call"'*)
      case $mode in
        hangs-in-hooks) ;;
        answers-nonsense-to-hooks) reply '{"arguments":5}' ;;
        *) reply null ;;
      esac
      ;;
    '{"type":"event","event"'*) ;;
    '{"type":"reply"'*)
      answer=${line#*\"result\":}
      number=$asked
      [ -n "$asked" ] && reply '{"content":[{"type":"text","text":"'"${answer%%[,\}]*}"'"}]}'
      ;;
    *'"call":'*)
      case $mode in
        hangs-in-hooks) ;;
        answers-nonsense-to-hooks) reply '7' ;;
        *) reply null ;;
      esac
      ;;
  esac
done
