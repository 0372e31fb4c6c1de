import type { PoolTls } from '../../networking/compile-balancers'
import type { RecordsTransaction } from '../../ports/records'
import type { Seals } from '../../ports/engine'
import { Secret } from '../../ports/secret'
import { poolsKind } from './rows'

/* Certificates and keys of pools, beside their rows. A key is sealed with the key of the installation. */

interface Kept {
  certificate: string
  /** Base64. */
  sealed: string
  client_ca: string | null
}

const placeOf = (poolId: string) => `private key of pool ${poolId}`

export const keepTls = (tx: RecordsTransaction, seals: Seals, poolId: string, tls: PoolTls): Promise<void> =>
  tx.putPrivate(poolsKind, poolId, {
    certificate: tls.certificate,
    sealed: seals.seal(new Secret(tls.key), placeOf(poolId)).toString('base64'),
    client_ca: tls.clientCa,
  } satisfies Kept)

/** Null where there is none, or where the key was sealed by another installation. */
export async function tlsOf(tx: RecordsTransaction, seals: Seals, poolId: string): Promise<PoolTls | null> {
  const kept = await tx.getPrivate<Kept>(poolsKind, poolId)
  const key = kept && seals.unseal(Buffer.from(kept.sealed, 'base64'), placeOf(poolId))
  return kept && key ? { certificate: kept.certificate, key: key.reveal(), clientCa: kept.client_ca } : null
}
