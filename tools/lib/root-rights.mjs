// The capabilities that the server keeps when it runs as root (man 7 capabilities), and the purpose of each.
import process from 'node:process'
import { findCommand } from '../system-packages.mjs'

const kept = {
  'to start child processes as other users, stop them, and see their working folders': [
    'setuid',
    'setgid',
    'setpcap',
    'kill',
    'sys_ptrace',
  ],
  'to own its data folder, including parts used by other users': ['chown', 'dac_override', 'fowner'],
  'to isolate virtual machines and untrusted files in namespaces': ['sys_admin', 'sys_chroot', 'net_admin'],
  'to let virtual machines create network interfaces if the host allows only root': ['mknod'],
  'to listen on ports below 1024': ['net_bind_service'],
  'to send router advertisements (dnsmasq), VRRP (keepalived) and pings (health checks)': ['net_raw'],
}

/**
 * Wraps a command so that it runs with only the capabilities that the server requires, and receives SIGTERM when its
 * parent dies. Returns null if the user is not root or setpriv is missing; in this case, the command runs unchanged.
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
