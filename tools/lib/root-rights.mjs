// What a server that is root keeps of root's rights (man 7 capabilities), and what for.
import process from 'node:process'
import { findCommand } from '../system-packages.mjs'

const kept = {
  'to be the users of its children, end them, and see which folder they work in': [
    'setuid',
    'setgid',
    'setpcap',
    'kill',
    'sys_ptrace',
  ],
  'to own its data folder, whoever uses a part of it': ['chown', 'dac_override', 'fowner'],
  'to shut virtual machines and files of strangers in namespaces': ['sys_admin', 'sys_chroot', 'net_admin'],
  'to let virtual machines make network cards where the host lets root alone': ['mknod'],
  'to listen on ports below 1024': ['net_bind_service'],
  'to send router advertisements (dnsmasq), VRRP (keepalived) and pings of health checks': ['net_raw'],
}

/**
 * The command that runs `command` with no more of root's rights than the server needs, and ends it in order when its parent
 * is gone. Null where nobody is root, or nothing can be given up: then it is run as it is.
 *
 * @param {readonly string[]} command
 * @returns {{ file: string, args: string[] } | null}
 */
export function withFewRights(command) {
  const setpriv = findCommand('setpriv')
  if (process.getuid?.() !== 0 || !setpriv) return null
  const names = Object.values(kept).flat()
  const set = ['-all', ...names.map((name) => `+${name}`)].join(',')
  return { file: setpriv, args: [`--bounding-set=${set}`, '--inh-caps=-all', '--pdeathsig=TERM', '--', ...command] }
}
