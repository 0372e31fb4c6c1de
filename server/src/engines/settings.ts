import path from 'node:path'
import type { EngineSettings } from '@mainstay/engines/ports/engines'
import type { Config } from '../config'
import { createConnections } from '../http/connections'
import { peersOf } from '../http/peers'
import { limits } from '../limits'

/** What the configuration says of the engines. The port of S3 has the limits of the console's, counted apart. */
export const engineSettings = (
  { embedded, cloud, areas, hypervisor, world, dataFolder, adminPassword, s3, rgw, proxies }: Config,
  { connections }: Pick<typeof limits, 'connections'> = limits,
): Omit<EngineSettings, 'onFirstStart'> => {
  const peers = peersOf(proxies)
  return {
    ...{ embedded, cloud, areas, hypervisor, world, adminPassword, rgw },
    s3: s3 && {
      ...s3,
      limitConnections: createConnections(connections, peers, 's3').attach,
      sourceOf: peers.sourceOf,
    },
    folder: path.join(dataFolder, 'engine'),
  }
}
