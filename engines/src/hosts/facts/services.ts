import type { HostService } from '@mainstay/contract/infrastructure/node-facts'

/** Parses the properties of failed units that `systemctl show` prints. */
export function parseFailedUnits(text: string): HostService[] {
  return text.split('\n\n').flatMap((block) => {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
    const [name, result, status] = [value('Id'), value('Result'), value('ExecMainStatus')]
    if (name === '') return []
    const message = result === 'exit-code' ? `exit status ${status}` : result
    return [{ name, status: 'failed' as const, message: message === '' || message === 'success' ? null : message }]
  })
}

const states: Readonly<Record<string, HostService['status']>> = {
  initializing: 'starting',
  starting: 'starting',
  stopping: 'stopped',
  maintenance: 'failed',
}

/**
 * Parses `systemctl is-system-running`. Returns the system as a whole as a service only if it is not running. If units
 * have failed (`degraded`), they are listed instead.
 */
export function parseSystemState(text: string): HostService[] {
  const status = states[text.trim()]
  return status ? [{ name: 'systemd', status, message: null }] : []
}
