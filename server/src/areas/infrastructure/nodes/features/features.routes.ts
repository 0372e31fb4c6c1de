import { access, constants } from 'node:fs/promises'
import { hostFeatures } from '@mainstay/contract/infrastructure/host-features'
import { missingPackages } from '../../../../../../tools/system-packages.mjs'
import { serve } from '../../../../http/serve'
import type { Tools } from '../../../../tools'
import { nodeOf } from '../node-of'
import { recordOf } from '../node-record'
import { statement } from '../statement'
import { userOf } from '../watcher/reach'
import { featuresHere, featuresOfHost, type FoundHere } from './features-of'

export const hostFeatureRoutes = serve(
  hostFeatures,
  {
    async list({ scope, params }, tools) {
      const node = await nodeOf(scope, params.id, tools)
      if (node.link.by === 'engine')
        return { features: [], reason: statement('infrastructure.host_features_of_engine') }
      const isRead = node.seen_at !== null
      if (node.link.by === 'ssh' && !isRead)
        return { features: [], reason: statement('infrastructure.host_features_unread') }
      const user = userOf(await tools.inventory.transaction((tx) => recordOf(tx, node.id)))
      const ofHost = isRead ? featuresOfHost(node, user) : []
      const here = node.link.by === 'local' ? featuresHere(await findHere(tools), user) : []
      return { features: [...ofHost, ...here], reason: null }
    },
  },
  { about: 'node' },
)

/** Collects what the engines and the server have found out about their own host. */
async function findHere({ areas, ports, figures }: Tools): Promise<FoundHere> {
  const { engine } = areas.compute
  const isHere = (area: 'storage' | 'networking') => areas[area].engine?.isOfThisMachine === true
  const tiers = isHere('storage') ? await ports.storage.tiers() : null
  const host = isHere('networking') ? await ports.networking.host() : null
  const { hypervisor = '', accelerator = '', simulated = false } = engine?.about ?? {}
  return {
    hypervisor: { name: hypervisor, accelerator, isSimulated: simulated },
    kvm: await accessToKvm(),
    folder: tiers?.[0]?.folder ?? null,
    networking: host?.facts ?? null,
    metricsAdvice: figures.store.advice,
    missingPackages: missingPackages('run'),
  }
}

const accessToKvm = (): Promise<FoundHere['kvm']> =>
  access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => 'usable' as const,
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? ('missing' as const) : ('denied' as const)),
  )
