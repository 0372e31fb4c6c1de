import * as z from 'zod'
import { expect, it } from 'vitest'
import { NotificationsChange } from '../settings/notifications'
import { EndpointGroupDraft, LocalGroupDraft } from '../vpn/endpoint-groups'
import { withoutUnsetFields } from './null-fields'

const Draft = z
  .strictObject({
    name: z.string(),
    size: z.number().optional(),
    notes: z.string().default(''),
    gateway: z.string().nullable().default('first'),
    disks: z.array(z.strictObject({ id: z.string(), order: z.number().optional() })).default([]),
    choice: z
      .union([z.strictObject({ a: z.number().optional() }), z.strictObject({ b: z.string().optional() })])
      .optional(),
    free: z.unknown().optional(),
  })
  .refine(() => true)

it('removes null from optional fields that are not nullable, at any depth', () => {
  const sent = { name: 'x', size: null, notes: null, disks: [{ id: 'd', order: null }], choice: { b: null } }
  expect(withoutUnsetFields(Draft, sent)).toEqual({ name: 'x', disks: [{ id: 'd' }], choice: {} })
  expect(Draft.parse(withoutUnsetFields(Draft, sent))).toMatchObject({ notes: '', gateway: 'first' })
})

it('keeps null in nullable, required and unknown fields', () => {
  const sent = { name: null, gateway: null, free: { inside: null }, stranger: null, choice: { c: null } }
  expect(withoutUnsetFields(Draft, sent)).toEqual(sent)
  for (const odd of [null, undefined, 'text', 7, [null]]) expect(withoutUnsetFields(Draft, odd)).toEqual(odd)
})

it('works for bodies in the contract, including unions', () => {
  const group = { name: 'branch', type: 'cidr', endpoints: ['10.0.0.0/8'], description: null }
  expect(EndpointGroupDraft.parse(withoutUnsetFields(EndpointGroupDraft, group))).toMatchObject({ description: '' })
  const own = { name: 'own', type: null, endpoints: ['s'] }
  expect(LocalGroupDraft.parse(withoutUnsetFields(LocalGroupDraft, own))).toMatchObject({ type: 'subnet' })
  expect(withoutUnsetFields(NotificationsChange, { smtp_settings: { port: null } })).toEqual({ smtp_settings: {} })
})
