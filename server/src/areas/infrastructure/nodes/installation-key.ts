import { Secret } from '@mainstay/engines/ports/secret'
import * as z from 'zod'
import type { Setting, Settings } from '../../../settings/settings'
import { makeKeyPair } from '../../compute/ssh-key-pair.service'

/**
 * Setting that stores the key with which the installation connects to registered hosts. The private half is the secret
 * of the setting.
 */
const keySetting: Setting<{ public_key: string }> = { name: 'node_key', shape: z.object({ public_key: z.string() }) }

export interface InstallationKey {
  /** One line for `authorized_keys`. */
  publicKey: string
  /** Private key in OpenSSH format. */
  privateKey: Secret
}

/** Comment that identifies the key on hosts. */
const COMMENT = 'mainstay'

/** Returns the key of the installation, and creates it when it is first needed. */
export async function installationKey(settings: Settings): Promise<InstallationKey> {
  const kept = (await settings.read(keySetting)) ?? (await create(settings))
  if (kept.secret) return { publicKey: kept.value.public_key, privateKey: kept.secret }
  throw new Error('cannot decrypt the key for nodes: MAINSTAY_SEALING_KEY must be the same on all servers')
}

async function create(settings: Settings) {
  const made = await makeKeyPair('ed25519', COMMENT)
  // another server may have created it in the meantime
  return settings.change(keySetting, (kept) =>
    kept ? { value: kept.value } : { value: { public_key: made.publicKey }, secret: new Secret(made.privateKey) },
  )
}
