import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { storageTiers } from '@mainstay/contract/infrastructure/tiers'
import { useView } from '../../../api/use-view'

/** Polling interval, because the used space changes without events. */
const everyMs = 30_000

/** The tiers of the storage cluster, kept up to date while mounted. */
export const useTiers = () => useView(storageTiers.list, {}, { everyMs, madeOf: [nodeKind.name] })

export type TiersView = ReturnType<typeof useTiers>
