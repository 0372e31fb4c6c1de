import type { PoolTls } from '../../networking/compile-balancers'
import type { RecordsTransaction } from '../../ports/records'
import type { Seals } from '../../ports/engine'
import { Secret } from '../../ports/secret'
import { poolsKind } from './rows'

/* Pools' certificates and keys, stored next to the pools' rows. Keys are encrypted with the installation's key. */

interface Kept {
  certificate: string
  /** The encrypted key in base64. */
  sealed: string
  client_ca: string | null
  sni?: { fingerprint: string; certificate: string; sealed: string }[]
}

const placeOf = (poolId: string, fingerprint?: string) =>
  `private key of pool ${poolId}${fingerprint === undefined ? '' : `, ${fingerprint}`}`

export const keepTls = (tx: RecordsTransaction, seals: Seals, poolId: string, tls: PoolTls): Promise<void> =>
  tx.putPrivate(poolsKind, poolId, {
    certificate: tls.certificate,
    sealed: seals.seal(new Secret(tls.key), placeOf(poolId)).toString('base64'),
    client_ca: tls.clientCa,
    sni: tls.sni.map(({ fingerprint, certificate, key }) => ({
      ...{ fingerprint, certificate },
      sealed: seals.seal(new Secret(key), placeOf(poolId, fingerprint)).toString('base64'),
    })),
  } satisfies Kept)

/**
 * Returns the certificates and keys of a pool. Null if the pool has no certificate, or if a key was encrypted by
 * another installation.
 */
export async function tlsOf(tx: RecordsTransaction, seals: Seals, poolId: string): Promise<PoolTls | null> {
  const kept = await tx.getPrivate<Kept>(poolsKind, poolId)
  if (!kept) return null
  const opened = (sealed: string, place: string) => seals.unseal(Buffer.from(sealed, 'base64'), place)?.reveal()
  const key = opened(kept.sealed, placeOf(poolId))
  const { certificate, client_ca: clientCa, sni = [] } = kept
  const others = sni.flatMap(({ sealed, ...other }) => {
    const its = opened(sealed, placeOf(poolId, other.fingerprint))
    return its === undefined ? [] : [{ ...other, key: its }]
  })
  return key === undefined || others.length < sni.length ? null : { certificate, key, clientCa, sni: others }
}
