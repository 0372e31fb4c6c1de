import { Readable } from 'node:stream'
import type { StartCloud } from '../conformance/cloud'
import { describeFlavors } from '../conformance/flavors'
import { describeImages, rawDisk } from '../conformance/images'
import { describeInstances } from '../conformance/instances'
import { describeSshKeys } from '../conformance/ssh-keys'
import { describeVolumes } from '../conformance/volumes'
import { memberOf, openSimulatedCloud, operator } from './testing/embedded-cloud'

/** The engine on pretended machines and records in memory. */
const start: StartCloud = async () => {
  const cloud = await openSimulatedCloud()
  return {
    compute: cloud.compute,
    member: memberOf('ours'),
    stranger: memberOf('theirs'),
    operator,
    row: async (kind, id) => cloud.memory.get(kind, id),
    bootImage: () => Readable.from([rawDisk()]),
    flavor: 's1.nano',
    largerFlavor: 's1.micro',
    network: 'default',
    address: (place) => `10.20.3.${place}`,
    close: cloud.close,
  }
}

describeInstances(start)
describeImages(start)
describeVolumes(start)
describeFlavors(start)
describeSshKeys(start)
