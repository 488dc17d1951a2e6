//! What shells need to complete command lines of hcube, in the folders that they search for it.

use super::file::{File, twins};
use super::script::{SCRIPTS, Script};
use clap::Command;
use clap_complete::{Generator, Shell, generate};

fn script(shell: impl Generator, command: &Command) -> String {
    let mut text = Vec::new();
    let mut command = command.clone();
    let name = command.get_name().to_owned();
    generate(shell, &mut command, name, &mut text);
    String::from_utf8(text).expect("scripts are text")
}

/// Scripts for bash, zsh and fish. A file is found by the name of the command, so that other names of a
/// command need files, or an entry, of their own.
pub fn files(tool: &Command) -> Vec<File> {
    let mut files = Vec::new();
    for command in [tool.clone()].into_iter().chain(SCRIPTS.map(Script::command)) {
        let name = command.get_name();
        let twins = twins(name);
        let mut bash = script(Shell::Bash, &command);
        let mut zsh = script(Shell::Zsh, &command);
        if !twins.is_empty() {
            let function = format!("_{}", name.replace('-', "__"));
            bash += &format!("\ncomplete -F {function} -o bashdefault -o default {}\n", twins.join(" "));
            zsh =
                zsh.replacen(&format!("#compdef {name}"), &format!("#compdef {name} {}", twins.join(" ")), 1);
        }
        files.push(File::new(format!("bash-completion/completions/{name}"), bash));
        files.push(File::new(format!("zsh/site-functions/_{name}"), zsh));
        let fish = "fish/vendor_completions.d";
        files.push(File::new(format!("{fish}/{name}.fish"), script(Shell::Fish, &command)));
        for twin in twins {
            let text = format!(". \"${{BASH_SOURCE[0]%/*}}/{name}\"\n");
            files.push(File::new(format!("bash-completion/completions/{twin}"), text));
            files.push(File::new(format!("{fish}/{twin}.fish"), format!("complete -c {twin} -w {name}\n")));
        }
    }
    files
}
