import * as z from 'zod'
import { problem } from '@mainstay/contract/core/problems'
import type { SslConfig } from '@mainstay/contract/settings/certificate'
import type { Log } from '@mainstay/engines/ports/records'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Config } from '../config'
import { openTls } from '../http/tls'
import type { Setting, Settings } from '../settings/settings'
import { describe, warningsOf, type CertificatePair } from './judge'

/**
 * The uploaded PEM chain; null: each server uses its own self-signed certificate. The private key is the setting's
 * secret.
 */
export const certificateSetting: Setting<{ chain: string | null }> = {
  name: 'certificate',
  shape: z.object({ chain: z.string().nullable() }),
}

/** How often the certificate is reloaded from its source. */
const LOOK_EVERY_MS = 3600_000

export interface ServedCertificate {
  /** The certificate and key being served; null for plain HTTP. */
  pair(): CertificatePair | null
  /** Describes the served certificate. `host`: host name in the request, for warnings about a mismatch. */
  about(host: string | null): SslConfig
  /**
   * Serves the uploaded certificate on all servers; null switches back to a self-signed one. Throws an `unsupported`
   * error if the server uses plain HTTP or reads its certificate from files.
   */
  replace(pair: CertificatePair | null): Promise<void>
  /** Reloads the certificate from its source. */
  look(): Promise<void>
  /** Calls the listener when the served certificate changes. */
  onChange(listener: (pair: CertificatePair) => void): void
  close(): void
}

/** Selects the certificate to serve: the configured files, else the uploaded certificate, else a self-signed one. */
export async function createServedCertificate(parts: {
  config: Pick<Config, 'tls' | 'dataFolder' | 'host'>
  settings: Settings
  log: Log
}): Promise<ServedCertificate> {
  const { config, settings, log } = parts
  const { tls, dataFolder, host } = config
  const listeners: ((pair: CertificatePair) => void)[] = []
  let now: { pair: CertificatePair; source: SslConfig['source'] } | null = null

  async function uploaded(): Promise<CertificatePair | null> {
    const kept = await settings.read(certificateSetting)
    if (!kept?.value.chain) return null
    if (kept.secret) return { cert: kept.value.chain, key: kept.secret.reveal() }
    log.error(
      {},
      'cannot decrypt the key of the uploaded certificate: MAINSTAY_SEALING_KEY must be the same on all servers',
    )
    return null
  }

  async function find(): Promise<typeof now> {
    if (tls.kind === 'none') return null
    const given = tls.kind === 'self-signed' ? await uploaded() : null
    if (given) return { pair: given, source: 'uploaded' }
    return { pair: (await openTls(tls, dataFolder, host))!, source: tls.kind }
  }

  async function look(): Promise<void> {
    const found = await find()
    const isOther = found && (found.pair.cert !== now?.pair.cert || found.pair.key !== now.pair.key)
    now = found
    if (isOther) for (const listener of listeners) listener(found.pair)
  }
  await look()
  const timer = setInterval(
    () => void look().catch((err: unknown) => log.error({ err }, 'failed to reload the certificate')),
    LOOK_EVERY_MS,
  )
  timer.unref()

  return {
    pair: () => now?.pair ?? null,
    about(calledAs) {
      if (!now)
        return { is_valid: false, self_signed: false, ssl: false, source: 'none', certificate: null, warnings: [] }
      const { pair, source } = now
      const certificate = describe(pair.cert)
      const at = Date.now()
      return {
        is_valid: Date.parse(certificate.not_before) <= at && at < Date.parse(certificate.not_after),
        self_signed: source === 'self-signed',
        ...{ ssl: true, source, certificate, warnings: warningsOf(pair.cert, calledAs, at) },
      }
    },
    async replace(pair) {
      if (tls.kind === 'none') throw problem('settings.plain_http')
      if (tls.kind === 'files') throw problem('settings.certificate_from_files')
      await settings.change(certificateSetting, () => ({
        value: { chain: pair?.cert ?? null },
        secret: pair && new Secret(pair.key),
      }))
      await look()
    },
    look,
    onChange: (listener) => void listeners.push(listener),
    close: () => clearInterval(timer),
  }
}
