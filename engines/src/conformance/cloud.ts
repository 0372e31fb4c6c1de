import type { Readable } from 'node:stream'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import { InstanceDraft, type Instance } from '@mainstay/contract/compute/instances'
import type { Image, ImageDraft } from '@mainstay/contract/compute/images'
import type { Problem } from '@mainstay/contract/core/problems'
import { GiB } from '@mainstay/contract/core/bytes'
import type * as z from 'zod'
import type { ComputeCapabilities } from '@mainstay/contract/compute/compute-cluster'
import type { LoadBalancingCapabilities } from '@mainstay/contract/load-balancing/load-balancing-service'
import type { Area, AreaPorts } from '../ports/area-ports'
import type { Entity } from '../ports/records'
import type { ProjectScope } from '../ports/scope'

type Always = 'compute' | 'storage' | 'networking' | 'load-balancing'
type Perhaps = Exclude<Area, Always | 'identity'>

/**
 * An engine under test, with the data that a suite cannot derive. Ports of areas that the engine does not serve are
 * omitted.
 */
export interface CloudUnderTest extends Pick<AreaPorts, Always>, Partial<Pick<AreaPorts, Perhaps>> {
  capabilities: ComputeCapabilities
  balancingCapabilities: LoadBalancingCapabilities
  /** A member of a project, a member of another project, and an operator. */
  member: ProjectScope
  stranger: ProjectScope
  operator: ProjectScope
  /** The row as lists show it; null if it does not exist. */
  row<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** Content of an image that boots on this engine with the smallest flavor. */
  bootImage(): Readable
  /** IDs of a small flavor, of a larger one, and of a network that both projects may use. */
  flavor: string
  largerFlavor: string
  network: string
  /** ID of a node that accepts instances of all projects. */
  node: string
  /**
   * ID of an external network that both projects may use for routers and floating IPs. If omitted, an operator creates
   * one.
   */
  external?: string
  /** An address in the subnet of the network, by its index. */
  address(place: number): string
  close(): Promise<void>
}
export type StartCloud = () => Promise<CloudUnderTest>

/** The title of a suite. The count of passed tests per engine is keyed by it. */
export const suiteOf = (kind: string): string => `what every engine does with ${kind}`

/** Whether the engine supports an action. It must refuse all other actions with `unsupported`. */
export const can = ({ capabilities }: CloudUnderTest, action: InstanceAction): boolean =>
  capabilities.instance_actions.includes(action)

export const imageDraft = (change: Partial<ImageDraft> = {}): ImageDraft => ({
  name: 'An image',
  description: '',
  disk_format: 'detect',
  os_distro: 'linux',
  protected: false,
  visibility: 'private',
  hw_tpm_version: null,
  hw_firmware_type: 'bios',
  os_secure_boot: false,
  min_disk: 0,
  min_ram: 0,
  tags: [],
  ...change,
})

/** An instance draft that boots from the image, as the form sends it. */
export const instanceDraft = (
  cloud: CloudUnderTest,
  image: Image,
  change: Partial<z.input<typeof InstanceDraft>> = {},
): InstanceDraft =>
  InstanceDraft.parse({
    name: 'An instance',
    flavor: cloud.flavor,
    volumes: [{ source: 'image', id: image.id, size: GiB }],
    networks: [{ id: cloud.network }],
    ...change,
  })

/** Clouds with emulated guests are slow. */
const defaultPatienceMs = 240_000

/** Polls until the result is truthy, and returns it. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found>,
  patienceMs = defaultPatienceMs,
): Promise<NonNullable<Found>> {
  const end = Date.now() + patienceMs
  let last: Found
  do {
    last = await look()
    if (last) return last
    await new Promise((resolve) => setTimeout(resolve, 20))
  } while (Date.now() < end)
  throw new Error(`waited ${patienceMs} ms in vain for ${what}`)
}

/** Waits until the instance has this status and no task is running. */
export const settled = (cloud: CloudUnderTest, id: string, status: Instance['status']): Promise<Instance> =>
  until(`instance ${id} to be ${status}`, async () => {
    const row = await cloud.row<Instance>('server', id)
    if (row?.status === 'ERROR' && status !== 'ERROR')
      throw new Error(`the instance is in error: ${row.fault?.message}`)
    return row?.status === status && row.task_state === null ? row : null
  })

export const gone = (cloud: CloudUnderTest, kind: string, id: string): Promise<unknown> =>
  until(`${kind} ${id} to be gone`, async () => (await cloud.row(kind, id)) === null)

/** Returns the error with which a call was refused. Throws if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<Pick<Problem, 'code' | 'fields' | 'data' | 'message'>> {
  try {
    await call
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error as Problem
    throw error
  }
  throw new Error('the call was not refused')
}

/** The errors with which several calls were refused. */
export const refusals = (calls: readonly Promise<unknown>[]) => Promise.all(calls.map((call) => refusal(call)))

/** Creates an image that instances can boot from, and waits until it is active. One per suite is enough. */
export async function activeImage(cloud: CloudUnderTest, scope = cloud.member): Promise<Image> {
  const { id } = await cloud.compute.images.create(scope, imageDraft({ name: 'Boots' }), cloud.bootImage())
  return until('the image to be active', async () => {
    const row = await cloud.row<Image>('image', id)
    if (row?.status === 'error') throw new Error(`the image is in error: ${row.fault}`)
    return row?.status === 'active' ? row : null
  })
}
