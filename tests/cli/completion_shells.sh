#!/usr/bin/env bash
# completion_shells.sh KERLAB SHELL: the completion script of a shell, in that shell. Exit code 77, which ctest shows as
# skipped, where the shell is not installed.
set -euo pipefail
program=$(realpath -- "$1")
shell=$2
if ! command -v "$shell" >/dev/null; then
  echo "skipped: $shell is not installed"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$program" "$folder/kerlab"
export PATH=$folder:$PATH HOME=$folder KERLAB_DB=$folder/kerlab.db
cd "$folder"
kerlab completion "$shell" >script

# What is typed, and what the line becomes when TAB is pressed; for several candidates: these, with | between them.
cases=(
  "kerlab tu" "kerlab tune "
  "kerlab tune gemm --strat" "kerlab tune gemm --strategy "
  "kerlab tune gemm --strategy=l" "kerlab tune gemm --strategy=local "
  "kerlab tune gemm --lay" "kerlab tune gemm --layout "
  "./kerlab tune gemm --layout t" "tn|tt"
  "kerlab inspect gemm_g" "kerlab inspect gemm_grouped/"
  "kerlab inspect gemm/reg2" "kerlab inspect gemm/reg2d "
  "kerlab inspect gemm/reg2d TH" "kerlab inspect gemm/reg2d TH"
  "kerlab inspect gemm/reg2d BM=6" "kerlab inspect gemm/reg2d BM=64 "
  "kerlab inspect gemm/reg2d BM=" "BM=64|BM=128|BM=256"
  "kerlab diff gemm/reg2d:BM=64,BN=6" "kerlab diff gemm/reg2d:BM=64,BN=64 "
  "kerlab bench gemm --dtype fp16,bf" "kerlab bench gemm --dtype fp16,bf16 "
  "kerlab bench gemm --dtype fp16,bf16,fp3" "kerlab bench gemm --dtype fp16,bf16,fp32 "
  "kerlab bench gemm --variant naive,reg1" "kerlab bench gemm --variant naive,reg1d "
  "kerlab bench gemm --variant=naive,reg1" "kerlab bench gemm --variant=naive,reg1d "
  "kerlab --device emu:h2" "kerlab --device emu:h200 "
  "kerlab db exp" "kerlab db export "
)

# Each of these writes to `answers`, for every case, the line or the candidates.
ask_bash() {
  cat >ask <<'ASK'
source script
complete -p kerlab | grep -q _kerlab
# Words as readline parts them: at spaces, and each run of its breaks = : is a word.
part() {
  COMP_WORDS=()
  local rest=$1 word open=
  while [[ -n $rest ]]; do
    case $rest in
      " "*) rest=${rest#?} open=1 && continue ;;
      [=:]*) word=${rest%%[^=:]*} ;;
      *) word=${rest%%[=: ]*} ;;
    esac
    COMP_WORDS+=("$word") rest=${rest#"$word"} open=
  done
  [[ -z $open ]] || COMP_WORDS+=("")
  COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}
while IFS= read -r line; do
  part "$line"
  _kerlab
  last=${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  if ((${#COMPREPLY[@]} > 1)); then
    word=${line##* } all=
    for reply in "${COMPREPLY[@]}"; do all+="|${word%"$last"}${reply% }"; done
    echo "${all#|}"
  elif ((${#COMPREPLY[@]} == 1)); then
    echo "${line%"$last"}${COMPREPLY[0]}"
  else
    echo "$line"
  fi
done <typed >answers
ASK
  bash --norc ask
}
ask_fish() {
  cat >ask <<'ASK'
source script
while read -l line
    set -l found (complete -C "$line" | string replace -r '\t.*' '')
    if test (count $found) -gt 1
        string join '|' $found
    else if test (count $found) -eq 1
        # fish puts no space after these.
        set -l end ' '
        string match -qr '[=:/]$' -- $found[1]; and set end ''
        echo (string replace -r '[^ ]*$' '' -- $line)$found[1]"$end"
    else
        echo $line
    end
end <typed >answers
ASK
  fish --no-config ask
}
# An interactive zsh on a pseudo-terminal: TAB is pressed, then a key that writes the line down.
ask_zsh() {
  cat >rc <<'RC'
autoload -U compinit
compinit -u -D
source ./script
write_down() { print -r -- "$BUFFER" >>lines; print -r -- done >>done }
zle -N write_down
bindkey '^T' write_down
zstyle ':completion:*' insert-unambiguous false
# Candidates, as zsh is told them.
compadd() { [[ ${@[-1]} == (whole|open) ]] && print -rl -- ${(P)@[-1]} >>told; builtin compadd "$@" }
RC
  cat >ask <<'ASK'
zmodload zsh/zpty
zpty shell "TERM=dumb ZDOTDIR=/nonexistent zsh -f -i"
wait_for() { for i in {1..500}; do [[ -s done ]] && return; zpty -r -t shell chunk; sleep 0.01; done; print "no answer"; exit 1 }
zpty -w shell "source ./rc; print done >>done"
wait_for
while IFS= read -r line; do
  rm -f done told lines
  zpty -w -n shell $'\C-u'"$line"$'\t\C-t'
  wait_for
  if [[ -s told && $(wc -l <told) -gt 1 ]]; then
    paste -s -d '|' told
  else
    cat lines
  fi
done <typed >answers
zpty -d shell
ASK
  zsh -f ask
}

for ((i = 0; i < ${#cases[@]}; i += 2)); do echo "${cases[i]}"; done >typed
"ask_$shell"
mapfile -t answers <answers
failures=0
for ((i = 0; i < ${#cases[@]}; i += 2)); do
  [[ ${answers[i / 2]:-} == "${cases[i + 1]}" ]] && continue
  printf 'FAILED: %s\n  expected: [%s]\n  actual:   [%s]\n' "${cases[i]}" "${cases[i + 1]}" "${answers[i / 2]:-}"
  failures=$((failures + 1))
done
[[ ! -e kerlab.db ]] || { echo "FAILED: a database was made"; failures=$((failures + 1)); }
((failures == 0)) && echo "$((${#cases[@]} / 2)) lines completed in $shell"
exit $((failures > 0))
