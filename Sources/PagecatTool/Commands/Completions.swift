// Scripts by which shells complete command lines, from the tables of commands and flags.

import Engine
import PipelineSpec

/// The script of a shell.
enum Completions: String, CaseIterable {
  case bash, zsh, fish

  var text: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static var names: [String] { Command.all.map(\.name) + ["help", "version"] }

  /// Names of the commands that take parameters of specs.
  private static var parameterCommands: [String] { [Command.run, .tap, .plan, .pin].map(\.name) }

  private static func spellings(_ flag: Flag) -> [String] { (flag.short.map { ["-\($0)"] } ?? []) + ["--\(flag.name)"] }

  // MARK: bash

  private static var bashScript: String {
    let flags = Command.all.map { command in
      "    \(command.name)) flags='\((command.flags.flatMap(spellings) + ["--help"]).joined(separator: " "))' ;;"
    }
    return """
      # bash completion for pagecat: source <(pagecat completions bash)
      # Names of a spec are text from outside: no word of them may be expanded, as compgen -W would.
      _pagecat_names() {
        local name end=$1
        shift
        while IFS= read -r name; do
          [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")$end")
        done < <(pagecat completions "$@" 2>/dev/null)
      }
      _pagecat() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev= command=run flags= words= plain i
        local -a specs=()
        COMPREPLY=()
        for ((i = 1; i < COMP_CWORD; i++)); do
          prev=${COMP_WORDS[i]}
          if ((i == 1)) && [[ " \(names.joined(separator: " ")) " == *" $prev "* ]]; then
            command=$prev
          elif [[ $prev != -* ]]; then
            plain=${prev//\\\\/}
            plain=${plain//[\\\"\\\']/}
            if [[ $plain == '~/'* ]]; then plain=$HOME/${plain:2}; fi
            if [[ -f $plain ]]; then specs+=("$plain"); fi
          fi
        done
        # bash breaks '--log=j' into three words.
        if [[ $cur == = && $prev == --* ]]; then
          cur=
        elif [[ $prev == = && ${COMP_WORDS[COMP_CWORD - 2]} == --* ]]; then
          prev=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        case $prev in
      \(bashValues)
        esac
        case $command in
      \(flags.joined(separator: "\n"))
        esac
        case $command in
          completions) words='\(allCases.map(\.rawValue).joined(separator: " "))' ;;
          help) words='\(Command.all.map(\.name).joined(separator: " "))' ;;
        esac
        if [[ $cur == -* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
          return
        fi
        if ((COMP_CWORD == 1)); then words='\(names.joined(separator: " "))'; fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        [[ -n $words && $COMP_CWORD -gt 1 ]] && return
        local count=${#COMPREPLY[@]}
        if [[ " \(parameterCommands.joined(separator: " ")) " == *" $command "* ]]; then _pagecat_names = parameters "${specs[@]}"; fi
        if ((${#COMPREPLY[@]} > count)); then
          compopt -o nospace 2>/dev/null
        else
          compopt -o filenames 2>/dev/null
          local -a files=()
          mapfile -t files < <(compgen -f -- "$cur")
          COMPREPLY+=("${files[@]}")
        fi
      }
      complete -F _pagecat pagecat
      """
  }

  /// The cases for words after flags that take a value.
  private static var bashValues: String {
    var cases: [String] = []
    for (candidates, flags) in valued {
      let action =
        switch candidates {
        case .files: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return"
        case .folders: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"); return"
        case .words(let words):
          "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$cur\"); return"
        case .steps: "_pagecat_names '' steps \"${specs[@]}\"; return"
        case .streams: "_pagecat_names '' streams \"${specs[@]}\"; return"
        case .none: "return"
        }
      cases.append("    \(flags.flatMap(spellings).joined(separator: "|"))) \(action) ;;")
    }
    return cases.joined(separator: "\n")
  }

  /// The flags that take a value, by the values that can be proposed.
  private static var valued: [(candidates: Candidates, flags: [Flag])] {
    var groups: [(candidates: Candidates, flags: [Flag])] = []
    for flag in Command.all.flatMap(\.flags) where flag.value != nil {
      let candidates = Candidates(flag)
      if let index = groups.firstIndex(where: { $0.candidates == candidates }) {
        if !groups[index].flags.contains(where: { $0.name == flag.name }) { groups[index].flags.append(flag) }
      } else {
        groups.append((candidates, [flag]))
      }
    }
    return groups
  }

  // MARK: zsh

  private static var zshScript: String {
    let cases = Command.all.map { command in
      let flags = command.flags.map(zshArgument) + ["'--help[this text]'"]
      return "    \(command.name)) _arguments -s \(flags.joined(separator: " ")) '*:operand:_pagecat_operands' ;;"
    }
    let commands = Command.all.map { "'\(zshText($0.name)):\(zshText($0.summary))'" }
    return """
      #compdef pagecat
      # zsh completion for pagecat: source <(pagecat completions zsh)
      _pagecat_names() {
        local word
        local -a names specs
        for word in ${(Q)words[2,-1]}; do
          word=${word/#\\~\\//$HOME/}
          [[ -f $word ]] && specs+=("$word")
        done
        names=(${(f)"$(pagecat completions $1 $specs 2>/dev/null)"})
        compadd "${@:2}" -a names
      }
      _pagecat_operands() {
        local -a names
        case $command in
          completions) names=(\(allCases.map(\.rawValue).joined(separator: " "))); compadd -a names; return ;;
          \(parameterCommands.joined(separator: "|"))) _pagecat_names parameters -S = ;;
        esac
        _files
      }
      _pagecat_steps() { _pagecat_names steps }
      _pagecat_streams() { _pagecat_names streams }
      _pagecat() {
        local command=run
        local -a commands
        commands=(\(commands.joined(separator: " ")) 'help:options and examples of a command' 'version:name and version')
        if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
          _describe -t commands command commands
          _files
          return
        fi
        if [[ -n ${(M)commands:#${words[2]}:*} ]]; then
          command=$words[2]
          shift words
          (( CURRENT-- ))
        fi
        case $command in
      \(cases.joined(separator: "\n"))
          help) local -a names; names=(\(Command.all.map(\.name).joined(separator: " "))); compadd -a names ;;
        esac
      }
      if [[ $funcstack[1] = _pagecat ]]; then _pagecat "$@"; else compdef _pagecat pagecat; fi
      """
  }

  private static func zshArgument(_ flag: Flag) -> String {
    let help = "[\(zshText(flag.help))]"
    var value = ""
    if let name = flag.value {
      let action =
        switch Candidates(flag) {
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .steps: "_pagecat_steps"
        case .streams: "_pagecat_streams"
        case .none: " "
        }
      value = ":\(zshText(name)):\(action)"
    }
    guard let short = flag.short else { return "'--\(flag.name)\(flag.value == nil ? "" : "=")\(help)\(value)'" }
    let names = "'(-\(short) --\(flag.name))'{-\(short)\(flag.value == nil ? "" : "+"),--\(flag.name)"
    return "\(names)\(flag.value == nil ? "" : "=")}'\(help)\(value)'"
  }

  /// Returns a text for a quoted specification, in which colons and brackets are escaped.
  private static func zshText(_ text: String) -> String {
    var quoted = ""
    for character in text {
      switch character {
      case "'": quoted += "'\\''"
      case ":", "[", "]", "\\": quoted += "\\\(character)"
      default: quoted.append(character)
      }
    }
    return quoted
  }

  // MARK: fish

  private static var fishScript: String {
    var lines = [
      "# fish completion for pagecat: pagecat completions fish | source",
      "function __pagecat_specs",
      "  for word in (string replace -r '^~/' $HOME/ -- (commandline -opc)[2..]); test -f $word; and echo $word; end",
      "end",
      "function __pagecat_runs",
      "  set -l words (commandline -opc)",
      "  set -l command run",
      "  test (count $words) -gt 1; and contains -- $words[2] \(names.joined(separator: " ")); and set command $words[2]",
      "  contains -- $command $argv",
      "end",
      "function __pagecat_first",
      "  test (count (commandline -opc)) -eq 1",
      "end",
      "function __pagecat_names",
      "  pagecat completions $argv[1] (__pagecat_specs) 2>/dev/null",
      "end",
      "complete -c pagecat -n '__pagecat_runs \(parameterCommands.joined(separator: " "))' -a '(__pagecat_names parameters | string replace -r \\$ =)'",
      "complete -c pagecat -f -n '__pagecat_runs completions' -a '\(allCases.map(\.rawValue).joined(separator: " "))'",
      "complete -c pagecat -f -n '__pagecat_runs help' -a '\(Command.all.map(\.name).joined(separator: " "))'",
    ]
    for command in Command.all {
      lines.append("complete -c pagecat -n __pagecat_first -a \(command.name) -d \(fishText(command.summary))")
      for flag in command.flags {
        let value =
          switch Candidates(flag) {
          case _ where flag.value == nil: ""
          case .files: " -r -F"
          case .folders: " -x -a '(__fish_complete_directories)'"
          case .words(let words): " -x -a '\(words.joined(separator: " "))'"
          case .steps: " -x -a '(__pagecat_names steps)'"
          case .streams: " -x -a '(__pagecat_names streams)'"
          case .none: " -x"
          }
        let short = flag.short.map { " -s \($0)" } ?? ""
        lines.append(
          "complete -c pagecat -n '__pagecat_runs \(command.name)' -l \(flag.name)\(short)\(value) -d \(fishText(flag.help))"
        )
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func fishText(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}

/// The values that a shell may propose for a flag.
enum Candidates: Hashable {
  case files
  case folders
  case words([String])
  /// The steps of the specs on the command line.
  case steps
  /// The streams of the specs on the command line.
  case streams
  /// Any value, so that nothing can be proposed.
  case none

  init(_ flag: Flag) {
    let value = flag.value ?? ""
    if value.hasPrefix("FILE") {
      self = .files
    } else if value == "DIR" {
      self = .folders
    } else if value == "STEP" {
      self = .steps
    } else if value == "STREAM" {
      self = .streams
    } else if value.contains("|") {
      self = .words(value.split(separator: "|").map(String.init))
    } else if flag.name == Flag.allow.name {
      self = .words(["partial", "short", "replace", "partial,short"])
    } else {
      self = .none
    }
  }
}
