import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Image } from '@mainstay/contract/compute/images'
import { expect } from 'vitest'
import { imageDraft } from '../../conformance/cloud'
import type { ImagesPort } from '../../ports/compute'
import type { ProjectScope } from '../../ports/scope'
import { imageCommands } from '../compute/images/commands'
import { imageReader } from '../compute/images/shape'
import { startEngineFixture, type EngineFixture } from './engine-fixture'
import type { Received } from './fake-cloud/cloud'
import { fakeImages, type FakeImage, type FakeImages } from './fake-cloud/images'

/** The engine's image commands, running against a fake cloud. */
export interface ImageFixture extends EngineFixture {
  glance: FakeImages
  images: ImagesPort
  upload(bytes: Buffer | Readable, change?: Parameters<typeof imageDraft>[0], scope?: ProjectScope): Promise<Image>
  indexed(id: string): Image | undefined
  /** Returns the only image in the cloud. */
  only(): FakeImage
  /** Requests to the image service with this verb. */
  callsOf(verb: string): Received[]
}

/** Returns a disk image with a boot sector and random data. */
export const disk = (sizeBytes = 2 * 1024 ** 2): Buffer => {
  const bytes = randomBytes(sizeBytes)
  bytes.fill(0, 0, 512)
  bytes.set([0x55, 0xaa], 510)
  return bytes
}

export async function startImageFixture(): Promise<ImageFixture> {
  const fixture = await startEngineFixture([imageReader])
  const glance = fakeImages(fixture.cloud)
  const images = imageCommands(fixture.engine)
  return {
    ...fixture,
    glance,
    images,
    upload: (bytes, change = {}, scope = fixture.member) =>
      images.create(scope, imageDraft(change), bytes instanceof Readable ? bytes : Readable.from([bytes])),
    indexed: (id) => fixture.index.get(`image/${id}`) as Image | undefined,
    only() {
      expect(glance.images.size).toBe(1)
      return [...glance.images.values()][0]!
    },
    callsOf: (verb) => fixture.cloud.received.filter((call) => call.service === 'image' && call.verb === verb),
  }
}
