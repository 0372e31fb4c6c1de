import type { PoolCertificate, PoolChange } from '@mainstay/contract/load-balancing/pools'
import { poolKind } from '@mainstay/contract/load-balancing/pools'
import { fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { readCertificates, sniPairs, soundPair, type SoundPair } from '../../load-balancing/certificates'
import type { Records } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'

/*
 * The certificates and keys for pools are stored in the cloud's key manager, in the caller's project and with the
 * caller's token. Through this token, the load balancing service, which terminates TLS, automatically gets access to
 * them. The displayed fields of a certificate are stored with the row, because the console cannot read the secret
 * again.
 */

interface KeptPair {
  /** URL of the container, as stored in the listener. */
  container: string
  /** URLs of everything that is stored in the key manager for this certificate. */
  secrets: string[]
  shown: PoolCertificate
}
export interface KeptCertificate extends KeptPair {
  clientCaRef: string | null
  clientCa: string | null
  /** Certificates that are selected by server name (SNI). */
  sni?: KeptPair[]
}

/** Returns the URLs of everything that is stored in the key manager for a pool. */
export const secretsOf = ({ secrets, sni = [] }: Pick<KeptCertificate, 'secrets' | 'sni'>): string[] => [
  ...secrets,
  ...sni.flatMap((one) => one.secrets),
]

export const keptCertificate = async (records: Records | undefined, id: string): Promise<KeptCertificate | null> =>
  (await records?.transaction((tx) => tx.getPrivate<KeptCertificate>(poolKind.name, id))) ?? null

export const keepCertificate = (records: Records, id: string, kept: KeptCertificate): Promise<void> =>
  records.transaction((tx) => tx.putPrivate(poolKind.name, id, kept))

const SecretRef = z.object({ secret_ref: z.string() })
const ContainerRef = z.object({ container_ref: z.string() })

interface SentCertificate {
  certificate: string
  private_key: string
  client_ca?: string | null | undefined
}
type SentTls = Partial<Pick<PoolChange, 'certificate' | 'private_key' | 'client_ca' | 'sni_certificates'>>

/** Result of storing the certificates of a pool. */
export interface StoredTls {
  kept: KeptCertificate
  /** URLs newly stored in the key manager. */
  added: string[]
  /** URLs to remove once the pool uses the new ones. */
  former: string[]
}

/**
 * Stores the certificates in a request in the key manager, and removes all of them again if one is refused. Returns
 * null if the request has none. Throws `certificate_...` errors on the fields at fault.
 */
export async function storeTls(
  cloud: ServiceClient,
  name: string,
  sent: SentTls,
  before: KeptCertificate | null,
): Promise<StoredTls | null> {
  const own = sentCertificate(sent, before)
  if (own === null && sent.sni_certificates === undefined) return null
  if (own === null && before === null) throw fieldProblem('certificate', 'loadBalancing.certificate_from_elsewhere')
  await requireKeyManager(cloud)
  const pairs = sent.sni_certificates && sniPairs(sent.sni_certificates, before?.sni ?? [])
  const added: string[] = []
  try {
    const kept = own ? await storeCertificate(cloud, name, own) : before!
    if (own) added.push(...kept.secrets)
    const sni: KeptPair[] = []
    for (const pair of pairs ?? before?.sni ?? []) {
      const stored = 'container' in pair ? pair : await storePair(cloud, name, pair)
      if (stored !== pair) added.push(...stored.secrets)
      sni.push(stored)
    }
    const whole = { ...kept, sni }
    const served = new Set(secretsOf(whole))
    return { kept: whole, added, former: before ? secretsOf(before).filter((secret) => !served.has(secret)) : [] }
  } catch (error) {
    await removeSecrets(cloud, added).catch(() => undefined)
    throw error
  }
}

async function requireKeyManager(cloud: ServiceClient): Promise<void> {
  if (!(await cloud.has('key-manager'))) throw fieldProblem('tls_enabled', 'loadBalancing.no_certificate_store')
}

async function storeCertificate(
  cloud: ServiceClient,
  name: string,
  { certificate, private_key, client_ca }: SentCertificate,
): Promise<KeptCertificate> {
  const pair = soundPair(certificate, private_key)
  const clientCa = client_ca ? readCertificates(client_ca, 'client_ca').join('') : null
  const kept = await storePair(cloud, name, pair)
  try {
    const clientCaRef = clientCa === null ? null : await putSecret(cloud, `${name} issuer of clients`, clientCa)
    return {
      ...kept,
      secrets: [...kept.secrets, ...(clientCaRef === null ? [] : [clientCaRef])],
      clientCaRef,
      clientCa,
    }
  } catch (error) {
    await removeSecrets(cloud, kept.secrets).catch(() => undefined)
    throw error
  }
}

async function putSecret(cloud: ServiceClient, name: string, payload: string): Promise<string> {
  const body = { name, payload, payload_content_type: 'text/plain' }
  return (await cloud.send('POST', 'key-manager', '/secrets', SecretRef, { body })).secret_ref
}

/** Stores a certificate and its key, and removes both again if either is refused. */
async function storePair(cloud: ServiceClient, name: string, pair: SoundPair): Promise<KeptPair> {
  const secrets: string[] = []
  const put = async (what: string, payload: string): Promise<string> => {
    const secret_ref = await putSecret(cloud, `${name} ${what}`, payload)
    secrets.push(secret_ref)
    return secret_ref
  }
  try {
    const [leaf, ...issuers] = readCertificates(pair.certificate, 'certificate')
    const secret_refs = [
      { name: 'certificate', secret_ref: await put('certificate', leaf!.toString()) },
      { name: 'private_key', secret_ref: await put('private key', pair.key) },
    ]
    if (issuers.length > 0)
      secret_refs.push({ name: 'intermediates', secret_ref: await put('issuers', issuers.join('')) })
    const body = { name, type: 'certificate', secret_refs }
    const { container_ref } = await cloud.send('POST', 'key-manager', '/containers', ContainerRef, { body })
    return { container: container_ref, secrets: [container_ref, ...secrets], shown: pair.shown }
  } catch (error) {
    await removeSecrets(cloud, secrets).catch(() => undefined)
    throw error
  }
}

/** Removes secrets and containers. Ignores those that no longer exist. */
export async function removeSecrets(cloud: ServiceClient, refs: readonly string[]): Promise<void> {
  for (const ref of refs) {
    const [kind, id] = ref.split('/').slice(-2)
    if (kind !== 'secrets' && kind !== 'containers') continue
    await unlessGone(cloud.send('DELETE', 'key-manager', `/${kind}/${encodeURIComponent(id ?? '')}`, z.void()))
  }
}

/**
 * Returns the certificate in a change, or null if there is none. The stored key is never read back, so a certificate
 * and its key must be sent together.
 */
function sentCertificate(
  { certificate, private_key, client_ca }: SentTls,
  kept: KeptCertificate | null,
): SentCertificate | null {
  if (certificate === undefined && private_key === undefined && client_ca === undefined) return null
  if (certificate === undefined || private_key === undefined) {
    const field = private_key === undefined ? 'private_key' : 'certificate'
    throw fieldProblem(field, 'loadBalancing.send_both_again')
  }
  return { certificate, private_key, client_ca: client_ca === undefined ? kept?.clientCa : client_ca }
}
