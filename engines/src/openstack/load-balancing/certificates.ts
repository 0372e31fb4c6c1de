import type { PoolCertificate } from '@mainstay/contract/load-balancing/pools'
import { poolKind } from '@mainstay/contract/load-balancing/pools'
import { badField } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import { readCertificates, soundPair } from '../../load-balancing/certificates'
import type { Records } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { unlessGone } from '../read-each'

/*
 * Certificates and keys of pools are in the key manager of the cloud, of the caller's project and by the caller's token: the
 * service that ends TLS with them is admitted to them by itself, with that token. What is shown of a certificate is kept
 * beside the row, since nobody here may read it again.
 */

export interface KeptCertificate {
  /** The address of the container, as the listener names it. */
  container: string
  /** Addresses of all that was put into the key manager for it. */
  secrets: string[]
  shown: PoolCertificate
  clientCaRef: string | null
  clientCa: string | null
}

export const keptCertificate = async (records: Records | undefined, id: string): Promise<KeptCertificate | null> =>
  (await records?.transaction((tx) => tx.getPrivate<KeptCertificate>(poolKind.name, id))) ?? null

export const keepCertificate = (records: Records, id: string, kept: KeptCertificate): Promise<void> =>
  records.transaction((tx) => tx.putPrivate(poolKind.name, id, kept))

const SecretRef = z.object({ secret_ref: z.string() })
const ContainerRef = z.object({ container_ref: z.string() })

/** The certificate that was sent, looked at, in PEM. */
export interface SentCertificate {
  certificate: string
  private_key: string
  client_ca?: string | null | undefined
}

/** Puts them into the key manager; what was put there before a refusal is taken away. Throws `certificate_...` at their fields. */
export async function storeCertificate(
  cloud: ServiceClient,
  name: string,
  { certificate, private_key, client_ca }: SentCertificate,
): Promise<KeptCertificate> {
  if (!(await cloud.has('key-manager')))
    throw badField(
      'tls_enabled',
      'This cloud keeps no certificates: pass TLS on as it is, HTTPS to HTTPS',
      'unsupported',
    )
  const pair = soundPair(certificate, private_key)
  const clientCa = client_ca ? readCertificates(client_ca, 'client_ca').join('') : null
  const secrets: string[] = []
  const put = async (what: string, payload: string): Promise<string> => {
    const body = { name: `${name} ${what}`, payload, payload_content_type: 'text/plain' }
    const { secret_ref } = await cloud.send('POST', 'key-manager', '/secrets', SecretRef, { body })
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
    const clientCaRef = clientCa === null ? null : await put('issuer of clients', clientCa)
    const body = { name, type: 'certificate', secret_refs }
    const { container_ref } = await cloud.send('POST', 'key-manager', '/containers', ContainerRef, { body })
    return { container: container_ref, secrets: [container_ref, ...secrets], shown: pair.shown, clientCaRef, clientCa }
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
export function sentCertificate(
  change: { [Field in keyof SentCertificate]?: SentCertificate[Field] | undefined },
  kept: KeptCertificate | null,
): SentCertificate | null {
  const { certificate, private_key, client_ca } = change
  if (certificate === undefined && private_key === undefined && client_ca === undefined) return null
  if (certificate === undefined || private_key === undefined) {
    const field = private_key === undefined ? 'private_key' : 'certificate'
    const message = 'The cloud does not give a certificate and its key back: send both again'
    throw badField(field, message, 'certificate_without_key')
  }
  return { certificate, private_key, client_ca: client_ca === undefined ? kept?.clientCa : client_ca }
}
