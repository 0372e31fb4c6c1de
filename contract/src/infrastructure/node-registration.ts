import * as z from 'zod'
import { create, endpoints } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, ServerPort, Time } from '../core/names'
import { IpAddress } from '../networking/address-fields'
import { says } from '../core/said'
import { Statement } from './node-rules'

/* Operators register a host by running a single command on it. The command contains a token that can be used once. */

/** Hours for which a token is valid (product notes 08 §B1). */
export const TOKEN_HOURS = { least: 1, most: 168, default: 24 } as const

/** The current registration token. */
export const RegistrationToken = z.object({
  /** Null if there is no valid token: none was created, or it has been used or has expired. */
  token: z.string().nullable(),
  /** Command to be run as root on the host. Null without a valid token. */
  command: z.string().nullable(),
  /** Risk of running the command; null if there is no risk or no command. */
  warning: Statement.nullable(),
  created_at: Time.nullable(),
  created_by: z.string().nullable(),
  expires_at: Time.nullable(),
  /**
   * Node that was registered with the current token; null if the token has not been used. The task `node.register` has
   * this ID as its subject and shows whether the host was reached and added.
   */
  used: z.object({ node_id: z.string() }).nullable(),
})
export type RegistrationToken = z.infer<typeof RegistrationToken>

const hours = says('core.between', { least: TOKEN_HOURS.least, most: TOKEN_HOURS.most })
export const RegistrationTokenDraft = z
  .strictObject({
    /** In hours. */
    ttl: z.int().min(TOKEN_HOURS.least, hours).max(TOKEN_HOURS.most, hours).default(TOKEN_HOURS.default),
  })
  .meta({ examples: [{ ttl: 24 }] })

const text = (most: number) =>
  z
    .string()
    .trim()
    .min(1, says('core.enter_value'))
    .max(most, says('core.too_long', { most }))
    .regex(isVisible, NOT_VISIBLE)

/** A name that a host may have. */
export const hostName = { most: 253, form: /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/ } as const

/** Data that the registration script reports about its host. */
export const NodeRegistration = z
  .strictObject({
    token: text(200),
    hostname: text(hostName.most).regex(hostName.form, says('infrastructure.registered_host_name')),
    /** Content of `/etc/machine-id`. */
    machine_id: z.string().regex(/^[0-9a-f]{32}$/, says('infrastructure.registered_machine_id')),
    /** Address at which its SSH server is reached. Default: the address that the call comes from. */
    address: IpAddress.optional(),
    port: ServerPort.default(22),
    /** Account whose `authorized_keys` contains the key of the installation. */
    user: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]{0,31}$/, says('infrastructure.registered_account'))
      .default('root'),
    /** Public host key of its SSH server, `TYPE BASE64`. */
    host_key: z
      .string()
      .trim()
      .max(4096)
      .regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*( .*)?$/, says('infrastructure.registered_host_key')),
  })
  .meta({
    examples: [
      {
        ...{ token: 'reg-0123456789abcdef', hostname: 'node-2', machine_id: '0123456789abcdef0123456789abcdef' },
        ...{ address: '192.0.2.2', port: 22, user: 'root', host_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA' },
      },
    ],
  })
export type NodeRegistration = z.infer<typeof NodeRegistration>

const path = '/api/v2/nodes/registration'
export const nodeRegistration = endpoints({
  showToken: {
    verb: 'POST',
    path: `${path}/token`,
    needs: create('nodes'),
    summary: 'Get the current registration token and the command that contains it',
    body: z
      .strictObject({})
      .default({})
      .meta({ examples: [{}] }),
    reply: RegistrationToken,
  },
  generateToken: {
    verb: 'POST',
    path: `${path}/token/generation`,
    needs: create('nodes'),
    summary: 'Create a registration token. It is valid once; earlier tokens become invalid.',
    body: RegistrationTokenDraft,
    reply: RegistrationToken,
  },
  script: {
    verb: 'GET',
    path: `${path}/script`,
    needs: 'public',
    panel: 'admin',
    summary: 'Get the shell script that registers a host. It contains no secrets.',
    bytes: 'out',
    isAct: false,
    reply: z.void(),
  },
  register: {
    verb: 'POST',
    path,
    needs: 'public',
    panel: 'admin',
    summary: 'Register a host, with a registration token. Called by the registration script.',
    body: NodeRegistration,
    status: 202,
    reply: z.object({ node_id: z.string(), host: z.string(), task_id: z.string() }),
  },
})
