import type { PoolCertificate, PoolChange } from '@mainstay/contract/load-balancing/pools'
import { poolKind } from '@mainstay/contract/load-balancing/pools'
import { fieldProblem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { readCertificates, sniPairs, soundPair, type SoundPair } from '../../load-balancing/certificates'
import type { Records } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'

/*
 * Certificates and keys of pools are in the key manager of the cloud, of the caller's project and by the caller's token: the
 * service that ends TLS with them is admitted to them by itself, with that token. What is shown of a certificate is kept
 * beside the row, since nobody here may read it again.
 */

interface KeptPair {
  /** The address of the container, as the listener names it. */
  container: string
  /** Addresses of all that was put into the key manager for it. */
  secrets: string[]
  shown: PoolCertificate
}
export interface KeptCertificate extends KeptPair {
  clientCaRef: string | null
  clientCa: string | null
  /** Those that are chosen by name. */
  sni?: KeptPair[]
}

/** Addresses of all that was put into the key manager for a pool. */
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

/** What a pool has once what was sent is stored. */
export interface StoredTls {
  kept: KeptCertificate
  /** What of it is new in the key manager. */
  added: string[]
  /** What nobody serves any more once the pool has it. */
  former: string[]
}

/**
 * Puts certificates that were sent into the key manager; what was put there before a refusal is taken away. Null: none were sent.
 * Throws `certificate_...` at their fields.
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

/** What was put there before a refusal is taken away. */
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

/** Takes away what was put there; what is gone is no error. */
export async function removeSecrets(cloud: ServiceClient, refs: readonly string[]): Promise<void> {
  for (const ref of refs) {
    const [kind, id] = ref.split('/').slice(-2)
    if (kind !== 'secrets' && kind !== 'containers') continue
    await unlessGone(cloud.send('DELETE', 'key-manager', `/${kind}/${encodeURIComponent(id ?? '')}`, z.void()))
  }
}

/** What a change sends of a certificate; null: nothing. A key that is in the cloud is not read again, so both come together. */
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
