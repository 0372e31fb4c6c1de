import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { withStatus } from '@mainstay/contract/vpn/status-history'
import type { JobHandler } from '../../ports/records'
import type { Engine } from '../engine'
import { faultText } from '../faults'
import { now } from '../networking/rows'
import { whenCarried } from '../networking/when-carried'
import { connections } from './rows'

export const CREATE = 'compute.ipsec_site_connection.create'
export const RESTART = 'compute.ipsec_site_connection.restart'

/**
 * Waits until this host has applied the connection, or fails with the reason. The connection's status shows whether the
 * peer agrees.
 */
const deploy = (engine: Engine): JobHandler => ({
  async run({ name, subject: { id }, state }) {
    const read = () => engine.records.transaction((tx) => tx.get<IpsecSiteConnection>(connections, id))
    const later = await whenCarried(engine, state, async () => (await read())?.status.startsWith('PENDING_') ?? false)
    if (later) return later
    const row = await read()
    if (row?.status === 'ERROR') throw new Error(row.reason ?? 'The connection could not be created')
    if (row && name === RESTART) await engine.hypervisor.dataplane?.restartTunnel(id)
    return row && { id }
  },
  onFailure: ({ subject: { id } }, error) =>
    engine.records.transaction(async (tx) => {
      const row = await tx.lock<IpsecSiteConnection>(connections, id)
      if (row?.status.startsWith('PENDING_'))
        await tx.put(connections, { ...row, ...withStatus(row, 'ERROR', faultText(error), now()) })
    }),
})

/** Returns the job handlers, keyed by job name. */
export const vpnJobs = (engine: Engine): Record<string, JobHandler> => ({
  [CREATE]: deploy(engine),
  [RESTART]: deploy(engine),
})
