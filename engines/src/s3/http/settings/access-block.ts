import { S3Error } from '../../errors'
import { isPublicAcl } from '../../policy/acl'
import type { AccessBlock } from '../../policy/decide'
import { isPublicPolicy } from '../../policy/public'
import { accessTo, bucketFor } from '../access'
import { answer, type Operation } from '../operations'
import { childText, writeXml, type XmlElement } from '../xml'
import type { DocumentSetting } from './setting'

const DOCUMENT = 'PublicAccessBlockConfiguration'
const elements: Readonly<Record<keyof AccessBlock, string>> = {
  blockPublicAcls: 'BlockPublicAcls',
  ignorePublicAcls: 'IgnorePublicAcls',
  blockPublicPolicy: 'BlockPublicPolicy',
  restrictPublicBuckets: 'RestrictPublicBuckets',
}

/** Parses a Boolean element. Returns false if the element is missing. */
function switchIn(document: XmlElement, name: string): boolean {
  const text = childText(document, name)?.toLowerCase() ?? 'false'
  if (text !== 'true' && text !== 'false') throw new S3Error('MalformedXML', `${name} must be true or false`)
  return text === 'true'
}

export const accessBlock: DocumentSetting<'accessBlock'> = {
  name: 'accessBlock',
  action: 'BucketPublicAccessBlock',
  missing: () =>
    new S3Error('NoSuchPublicAccessBlockConfiguration', 'The public access block configuration was not found'),
  read(document) {
    const unknown = document.children.find(({ name }) => !Object.values(elements).includes(name))
    if (document.name !== DOCUMENT || unknown)
      throw new S3Error('MalformedXML', `A ${DOCUMENT} has ${Object.values(elements).join(', ')}`)
    const is = (name: keyof AccessBlock) => switchIn(document, elements[name])
    return {
      blockPublicAcls: is('blockPublicAcls'),
      ignorePublicAcls: is('ignorePublicAcls'),
      blockPublicPolicy: is('blockPublicPolicy'),
      restrictPublicBuckets: is('restrictPublicBuckets'),
    }
  },
  write: (block) =>
    writeXml(
      DOCUMENT,
      Object.fromEntries(
        Object.entries(elements).map(([name, element]) => [element, block[name as keyof AccessBlock]]),
      ),
    ),
}

/** Whether the policy or the ACL grants public access. An ignored ACL grants none. */
export const policyStatus: Operation = async (call, { buckets }) => {
  const { policy, acl, ownership, block } = accessTo(await bucketFor(buckets, call, 's3:GetBucketPolicyStatus'))
  const isListed = ownership !== 'BucketOwnerEnforced' && !block.ignorePublicAcls && isPublicAcl(acl)
  await answer(call, 200, {}, writeXml('PolicyStatus', { IsPublic: isPublicPolicy(policy) || isListed }))
}
