export interface Identity {
  hostname: string
  kernel: string
  machine_id: string
}

/** Parses the lines with host name, kernel and machine ID. */
export function parseIdentity(text: string): Identity {
  const [hostname = '', kernel = '', machine_id = ''] = text.trim().split('\n')
  if (!/^[0-9a-f]{32}$/.test(machine_id) || hostname === '' || kernel === '') throw new Error('no machine ID')
  return { hostname, kernel, machine_id }
}

/** Parses `/etc/os-release`. */
export function parseOs(text: string): string {
  const name = /^PRETTY_NAME=(["']?)(.+)\1$/m.exec(text)?.[2] ?? /^NAME=(["']?)(.+)\1$/m.exec(text)?.[2]
  if (name === undefined) throw new Error('no name')
  return name
}

/** Parses `timedatectl show`. Returns null if the output is empty, which is the case without systemd. */
export function parseSynchronized(text: string): boolean | null {
  if (text.trim() === '') return null
  const found = /^NTPSynchronized=(yes|no)$/m.exec(text)?.[1]
  if (found === undefined) throw new Error('neither synchronized nor not')
  return found === 'yes'
}

/**
 * Returns the suffix of a kernel version. Kernels of different flavors have different suffixes, such as `cloud-amd64`
 * and `rt-amd64`.
 */
const flavorOf = (kernel: string): string => /^[\d.]+(?:-\d+)?(.*)$/.exec(kernel)?.[1] ?? kernel

/**
 * Parses whether the host requests a restart, followed by its installed kernels in version order. A restart is also
 * pending if a newer kernel of the running flavor is installed.
 */
export function parseRestartPending(text: string, running: string): boolean {
  const [asked, ...kernels] = text.trim().split('\n')
  if (asked !== 'required' && asked !== '-') throw new Error('neither required nor not')
  const same = kernels.filter((kernel) => flavorOf(kernel) === flavorOf(running))
  return asked === 'required' || (same.includes(running) && same.at(-1) !== running)
}
