import path from 'node:path'
import * as z from 'zod'

/* An attached Ceph cluster, which the program `ceph` on this machine manages. */

/** Files and user for the commands of an attached Ceph cluster. */
export interface CephConfig {
  conf: string
  /** Null: the keyring that is named in the configuration file. */
  keyring: string | null
  /** The user, such as `client.admin`. */
  user: string
}

const USER = 'client.admin'

export const cephVariables = {
  MAINSTAY_CEPH_CONF: z.string().nullable().default(null),
  MAINSTAY_CEPH_KEYRING: z.string().nullable().default(null),
  MAINSTAY_CEPH_USER: z
    .string()
    .regex(/^client\.[A-Za-z0-9_.-]{1,64}$/, `must be the name of a Ceph user, such as ${USER}`)
    .nullable()
    .default(null),
}

/** The attached Ceph cluster; null if there is none. Appends configuration errors to `lines`. */
export function cephIn(
  it: z.output<z.ZodObject<typeof cephVariables>>,
  folder: string,
  lines: string[],
): CephConfig | null {
  const { MAINSTAY_CEPH_CONF: conf, MAINSTAY_CEPH_KEYRING: keyring, MAINSTAY_CEPH_USER: user } = it
  if (conf !== null)
    return {
      conf: path.resolve(folder, conf),
      keyring: keyring === null ? null : path.resolve(folder, keyring),
      user: user ?? USER,
    }
  if (keyring !== null) lines.push('MAINSTAY_CEPH_KEYRING requires MAINSTAY_CEPH_CONF')
  if (user !== null) lines.push('MAINSTAY_CEPH_USER requires MAINSTAY_CEPH_CONF')
  return null
}
