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

/** An engine under test, with what a suite cannot know of it. The port of an area that it does not serve is left out. */
export interface CloudUnderTest extends Pick<AreaPorts, Always>, Partial<Pick<AreaPorts, Perhaps>> {
  capabilities: ComputeCapabilities
  balancingCapabilities: LoadBalancingCapabilities
  /** A member of a project, a member of another one, and an operator. */
  member: ProjectScope
  stranger: ProjectScope
  operator: ProjectScope
  /** The row as every list shows it; null when it is gone. */
  row<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** Bytes of an image that boots here, on the smallest flavor. */
  bootImage(): Readable
  /** Ids of a small flavor, of a larger one, and of a network that both projects may use. */
  flavor: string
  largerFlavor: string
  network: string
  /** Id of a node that takes instances of everybody. */
  node: string
  /** Id of an external network that both projects may use for routers and floating IPs; left out: operators make one. */
  external?: string
  /** An address of the network's subnet, by its place in it. */
  address(place: number): string
  close(): Promise<void>
}
export type StartCloud = () => Promise<CloudUnderTest>

/** Title of a kind's suite; what counts how many tests each engine passed goes by it. */
export const suiteOf = (kind: string): string => `what every engine does with ${kind}`

/** Whether the engine says that it can do this. What it cannot do it must refuse as `unsupported`. */
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

/** A draft that boots from the image, as a form would send it. */
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

/** A cloud whose guests are emulated takes its time. */
const defaultPatienceMs = 240_000

/** Looks until what is found is truthy. */
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

/** Waits until the instance is in this status and nothing is done to it. */
export const settled = (cloud: CloudUnderTest, id: string, status: Instance['status']): Promise<Instance> =>
  until(`instance ${id} to be ${status}`, async () => {
    const row = await cloud.row<Instance>('server', id)
    if (row?.status === 'ERROR' && status !== 'ERROR')
      throw new Error(`the instance is in error: ${row.fault?.message}`)
    return row?.status === status && row.task_state === null ? row : null
  })

export const gone = (cloud: CloudUnderTest, kind: string, id: string): Promise<unknown> =>
  until(`${kind} ${id} to be gone`, async () => (await cloud.row(kind, id)) === null)

/** How a call was refused; an error when it was not. */
export async function refusal(call: Promise<unknown>): Promise<Pick<Problem, 'code' | 'fields' | 'data' | 'message'>> {
  try {
    await call
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error as Problem
    throw error
  }
  throw new Error('the call was not refused')
}

/** How each of these calls was refused. */
export const refusals = (calls: readonly Promise<unknown>[]) => Promise.all(calls.map((call) => refusal(call)))

/** An active image to boot from; one is enough for a suite. */
export async function activeImage(cloud: CloudUnderTest, scope = cloud.member): Promise<Image> {
  const { id } = await cloud.compute.images.create(scope, imageDraft({ name: 'Boots' }), cloud.bootImage())
  return until('the image to be active', async () => {
    const row = await cloud.row<Image>('image', id)
    if (row?.status === 'error') throw new Error(`the image is in error: ${row.fault}`)
    return row?.status === 'active' ? row : null
  })
}
