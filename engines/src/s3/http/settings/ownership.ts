import { S3Error } from '../../errors'
import { isPrivateAcl } from '../../policy/acl'
import { isOwnership } from '../../policy/decide'
import { accessTo } from '../access'
import { aclsAreInUse } from '../acl'
import { childText, writeXml } from '../xml'
import type { DocumentSetting } from './setting'

export const ownershipControls: DocumentSetting<'ownership'> = {
  name: 'ownership',
  action: 'BucketOwnershipControls',
  missing: () => new S3Error('OwnershipControlsNotFoundError', 'The bucket ownership controls were not found'),
  read(document) {
    const [rule, ...more] = document.children.filter(({ name }) => name === 'Rule')
    const ownership = rule && childText(rule, 'ObjectOwnership')
    if (document.name !== 'OwnershipControls' || more.length > 0 || ownership === undefined || !isOwnership(ownership))
      throw new S3Error(
        'MalformedXML',
        'OwnershipControls need one Rule with an ObjectOwnership: BucketOwnerEnforced, BucketOwnerPreferred or ObjectWriter',
      )
    return ownership
  },
  check(bucket, ownership) {
    const { acl, owner } = accessTo(bucket)
    if (ownership === 'BucketOwnerEnforced' && !isPrivateAcl(acl, owner)) throw aclsAreInUse()
  },
  write: (ownership) => writeXml('OwnershipControls', { Rule: { ObjectOwnership: ownership } }),
}
