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
 * An engine under test, plus the test data that suites cannot derive themselves. Omits the ports of areas that the
 * engine does not serve.
 */
export interface CloudUnderTest extends Pick<AreaPorts, Always>, Partial<Pick<AreaPorts, Perhaps>> {
  capabilities: ComputeCapabilities
  balancingCapabilities: LoadBalancingCapabilities
  /** Scopes of a project member, a member of another project, and an operator. */
  member: ProjectScope
  stranger: ProjectScope
  operator: ProjectScope
  /** Returns the row as it appears in lists; null if it does not exist. */
  row<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** Returns the content of an image that boots on this engine with the smallest flavor. */
  bootImage(): Readable
  /** IDs of a small flavor, a larger flavor, and a network that both projects can use. */
  flavor: string
  largerFlavor: string
  network: string
  /** ID of a node that accepts instances of all projects. */
  node: string
  /**
   * ID of an external network that both projects can use for routers and floating IPs. If omitted, the suites create
   * one as the operator.
   */
  external?: string
  /** Returns the address at this index in the network's subnet. */
  address(place: number): string
  close(): Promise<void>
}
export type StartCloud = () => Promise<CloudUnderTest>

/** Returns the title of the suite for a kind. Passed tests are counted per engine under this title. */
export const suiteOf = (kind: string): string => `what every engine does with ${kind}`

/** Whether the engine supports an action. Unsupported actions must fail with an `unsupported` error. */
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

/** Returns an instance draft that boots from the image, as submitted by the form. */
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

/** This time is generous, because emulated guests are slow. */
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
  throw new Error(`timed out after ${patienceMs} ms waiting for ${what}`)
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

/** Returns the error that a call is rejected with. Throws if the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<Pick<Problem, 'code' | 'fields' | 'data' | 'message'>> {
  try {
    await call
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error as Problem
    throw error
  }
  throw new Error('the call was not refused')
}

/** Returns the errors that several calls are rejected with. */
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
