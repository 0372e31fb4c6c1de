import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, ServerPort } from '../core/names'
import { says } from '../core/said'
import { IpAddress } from '../networking/address-fields'

/** Default UDP port of trap receivers. */
export const TRAP_PORT = 162
export const MOST_TRAPS = 10

/** A receiver of traps. The community is never returned. */
const Trap = z.object({
  ip: z.string(),
  port: z.number().int(),
  enabled: z.boolean(),
  has_community: z.boolean().describe('False: this server cannot read the saved community. Enter it again.'),
})
export type Trap = z.infer<typeof Trap>

/** SNMP settings: whether alerts are sent as traps, and to which receivers. */
export const Snmp = z.object({ enabled: z.boolean(), traps: z.array(Trap) })
export type Snmp = z.infer<typeof Snmp>

const receiver = {
  ip: IpAddress.describe('IPv4 or IPv6 address.'),
  port: ServerPort.default(TRAP_PORT),
  community: z
    .string(says('settings.enter_community'))
    .max(64, says('core.too_long', { most: 64 }))
    .regex(isVisible, NOT_VISIBLE)
    // forms send an empty text to keep the saved community
    .transform((text) => (text === '' ? undefined : text))
    .optional()
    .describe('1 to 64 characters. Omit it to keep the community that was saved for this address and port.'),
}

/** Address and port of a receiver, which identify it when its saved community is looked up. */
export const receiverOf = ({ ip, port }: Pick<Trap, 'ip' | 'port'>): string => `${ip} ${port}`

// nothing listens on this port, so the example sends no trap
const example = { ip: '127.0.0.1', port: 9, community: 'public' }

/** Replaces all SNMP settings. */
export const SnmpChange = z
  .strictObject({
    enabled: z.boolean(),
    traps: z
      .array(z.strictObject({ ...receiver, enabled: z.boolean().default(true) }))
      .max(MOST_TRAPS, says('settings.too_many_receivers', { most: MOST_TRAPS }))
      .superRefine((traps, context) => {
        const all = traps.map(receiverOf)
        all.forEach((one, at) => {
          if (all.indexOf(one) !== at)
            context.addIssue({ code: 'custom', path: [at, 'ip'], message: says('settings.trap_receiver_twice') })
        })
      }),
  })
  .meta({ examples: [{ enabled: false, traps: [{ ...example, enabled: true }] }] })
export type SnmpChange = z.infer<typeof SnmpChange>

export const TrapTest = z.strictObject(receiver).meta({ examples: [example] })
export type TrapTest = z.infer<typeof TrapTest>

const resource = 'settings_snmp'

export const snmp = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/snmp',
    needs: read(resource),
    summary: 'Get the SNMP settings. Communities are not included.',
    reply: Snmp,
  },
  save: {
    verb: 'PUT',
    path: '/api/v2/snmp',
    needs: update(resource),
    summary: 'Update the SNMP settings. Alerts are sent as SNMPv2c traps to each enabled receiver.',
    body: SnmpChange,
    reply: Snmp,
  },
  test: {
    verb: 'POST',
    path: '/api/v2/snmp/test',
    needs: update(resource),
    summary: 'Send a test trap to one receiver. Receivers do not confirm traps, so check there that it arrived.',
    body: TrapTest,
    reply: z.object({ bytes: z.number().int().describe('Size of the trap that this host sent.') }),
  },
  mib: {
    verb: 'GET',
    path: '/api/v2/snmp/mib',
    needs: read(resource),
    summary: 'Download the MIB file. It describes the traps for receivers.',
    bytes: 'out',
    isAct: false,
    reply: z.void(),
  },
})
