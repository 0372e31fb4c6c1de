import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import {
  EMPTY_CIDR,
  INVALID_CIDR,
  INVALID_CIDR_6,
  DEFAULT_MTU,
  JUMBO_MTU,
  MAX_MTU,
  MIN_MTU,
  cidrFault,
  ipv4CidrFault,
  ipv6CidrFault,
} from './address-texts'
import { canonical, parseAddress, parseRange, versionOf, type IpRange } from './addresses'
import { reservedAddress, reservedForRoutes, reservedInRange } from './reserved-ranges'

/*
 * Schemas for addresses, ranges, ports and other network settings (S2§5). Their messages say what is expected.
 * Addresses and ranges are normalized (RFC 5952), so that other code can compare them as text.
 */

const Text = z.string().max(64)

export const Ipv4 = Text.refine((it) => versionOf(it) === 4, says('networking.enter_ipv4')).overwrite(canonical)
export const IpAddress = Text.refine((it) => parseAddress(it) !== null, says('networking.enter_ip')).overwrite(
  canonical,
)

export const Ipv4Cidr = Text.refine((it) => ipv4CidrFault(it) === null, INVALID_CIDR).overwrite(canonical)
export const Ipv6Cidr = Text.refine((it) => ipv6CidrFault(it) === null, INVALID_CIDR_6).overwrite(canonical)
/** A range of either IP version, given by its network address. */
export const NetworkCidr = Text.superRefine((it, context) => {
  const fault = cidrFault(it)
  if (!fault) return
  const message =
    fault.kind === 'incorrect'
      ? says('networking.address_in_range', { range: fault.suggestion })
      : fault.kind === 'empty'
        ? EMPTY_CIDR
        : INVALID_CIDR
  context.addIssue({ code: 'custom', message })
}).overwrite(canonical)
const Refusing = (field: typeof NetworkCidr, faultOf: (it: string) => RuleText | null) =>
  field.superRefine((it, context) => {
    const message = faultOf(it)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
const ofRange = (faultOf: (range: IpRange) => RuleText | null) => (it: string) => {
  const range = parseRange(it)
  return range && faultOf(range)
}
/** A range that a subnet can use. */
export const SubnetCidr = Refusing(NetworkCidr, ofRange(reservedInRange))
/** A range that can be the destination of a route. */
export const RoutedCidr = Refusing(NetworkCidr, ofRange(reservedForRoutes))
/** An address that a host can have. */
export const MachineAddress = Refusing(IpAddress, reservedAddress)
/** A range of either IP version, given by any address in it. */
export const Cidr = Text.refine((it) => parseRange(it) !== null, INVALID_CIDR).overwrite(canonical)

const PORT = says('networking.port_number')
/** Returns the schema for a whole number. Text is also accepted, because command-line clients send numbers as text. */
const Whole = (message: RuleText) => z.coerce.number(message).int(message)
export const PortNumber = Whole(PORT).min(1, PORT).max(65_535, PORT)
const PORT_OR_ZERO = says('networking.port_or_zero')
export const PortNumberOrZero = Whole(PORT_OR_ZERO).min(0, PORT_OR_ZERO).max(65_535, PORT_OR_ZERO)

const VLAN = says('networking.vlan_id')
export const VlanId = Whole(VLAN).min(1, VLAN).max(4094, VLAN)

const MTU = says('core.bytes_between', { least: MIN_MTU, most: MAX_MTU })
export const Mtu = Whole(MTU)
  .min(MIN_MTU, MTU)
  .max(MAX_MTU, MTU)
  .meta({ examples: [DEFAULT_MTU, JUMBO_MTU] })
