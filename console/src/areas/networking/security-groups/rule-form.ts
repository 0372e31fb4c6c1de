import { parsePortRange } from '@mainstay/contract/networking/address-texts'
import { ruleFaults } from '@mainstay/contract/networking/rule-rules'
import { SecurityGroupRuleDraft } from '@mainstay/contract/networking/security-group-rules'
import * as z from 'zod'
import type { Translate } from '../../../i18n/use-t'

export type RemoteKind = 'anywhere' | 'cidr' | 'group'

/** Form values for a rule. */
export interface RuleForm {
  ethertype: 'IPv4' | 'IPv6'
  /** `any` means all protocols; `other` means the protocol in the field `other`. */
  protocol: 'any' | 'tcp' | 'udp' | 'icmp' | 'other'
  /** A protocol's name or number. */
  other: string
  /** A port or port range; empty for all ports. For ICMP: `type` or `type/code`. */
  ports: string
  remote: RemoteKind
  cidr: string
  group: string | null
  description: string
}

export const emptyRule: RuleForm = {
  ethertype: 'IPv4',
  protocol: 'tcp',
  other: '',
  ports: '',
  remote: 'anywhere',
  cidr: '',
  group: null,
  description: '',
}

/** Parses ports or, for ICMP, type and code. Returns null if the text is invalid. */
function parsePorts(text: string, isIcmp: boolean): { min: number | null; max: number | null } | null {
  const typed = text.trim()
  if (typed === '') return { min: null, max: null }
  // some clouds write “all ports” this way
  if (!isIcmp && /^0\s*[-:]\s*65535$/.test(typed)) return { min: null, max: null }
  if (!isIcmp) return parsePortRange(typed)
  const found = /^(\d{1,3})(?:\s*\/\s*(\d{1,3}))?$/.exec(typed)
  if (!found) return null
  const [min, max] = [Number(found[1]), found[2] === undefined ? null : Number(found[2])]
  return min > 255 || (max ?? 0) > 255 ? null : { min, max }
}

export const hasPorts = ({ protocol, other }: Pick<RuleForm, 'protocol' | 'other'>): boolean =>
  protocol === 'tcp' || protocol === 'udp' || (protocol === 'other' && /^(sctp|dccp|udplite)$/i.test(other.trim()))
const isIcmpForm = ({ protocol, other }: RuleForm) =>
  protocol === 'icmp' || (protocol === 'other' && /^icmp/i.test(other.trim()))
export const takesPorts = (form: RuleForm): boolean => hasPorts(form) || isIcmpForm(form)

type Draft = z.input<typeof SecurityGroupRuleDraft>

/** Converts form values to the body of the create call. Invalid ports are omitted, since the form reports them. */
export function ruleDraft(form: RuleForm, security_group_id: string, direction: 'ingress' | 'egress'): Draft {
  const isIcmp = isIcmpForm(form)
  const ports = takesPorts(form) ? parsePorts(form.ports, isIcmp) : null
  const icmp = form.ethertype === 'IPv6' ? 'icmpv6' : 'icmp'
  return {
    security_group_id,
    direction,
    ethertype: form.ethertype,
    protocol:
      form.protocol === 'any' ? null : form.protocol === 'other' ? form.other.trim() : isIcmp ? icmp : form.protocol,
    port_range_min: ports?.min ?? null,
    port_range_max: ports?.max ?? null,
    remote_ip_prefix: form.remote === 'cidr' ? form.cidr.trim() : null,
    remote_group_id: form.remote === 'group' ? form.group : null,
    description: form.description,
  }
}

const names: Readonly<Record<string, keyof RuleForm>> = {
  port_range_min: 'ports',
  port_range_max: 'ports',
  remote_ip_prefix: 'cidr',
  remote_group_id: 'group',
}
/** Maps a field path from a contract or server error to a form field. */
export function ruleField(path: string, { protocol }: Pick<RuleForm, 'protocol'>): string {
  return path === 'protocol' && protocol === 'other' ? 'other' : (names[path] ?? path)
}

export const ruleForm = (t: Translate<'networking'>, direction: 'ingress' | 'egress') =>
  z.custom<RuleForm>().superRefine((form, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (takesPorts(form) && parsePorts(form.ports, isIcmpForm(form)) === null)
      return wrong('ports', t(isIcmpForm(form) ? 'rules.icmpWrong' : 'rules.portsWrong'))
    if (form.remote === 'cidr' && form.cidr.trim() === '') return wrong('cidr', t('cidr.empty'))
    if (form.remote === 'group' && form.group === null) return wrong('group', t('rules.groupMissing'))
    if (form.protocol === 'other' && form.other.trim() === '') return wrong('other', t('rules.protocolMissing'))
    const parsed = SecurityGroupRuleDraft.safeParse(ruleDraft(form, 'x'.repeat(36), direction))
    if (parsed.error) {
      for (const { path, message } of parsed.error.issues)
        wrong(ruleField(String(path[0] ?? 'protocol'), form), message)
      return
    }
    for (const { field, message } of ruleFaults(parsed.data)) wrong(ruleField(field, form), message)
  })
