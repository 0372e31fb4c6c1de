/* Access control lists (ACLs): grants of the five S3 permissions. Pure functions that do not look up users. */

export const permissions = ['READ', 'WRITE', 'READ_ACP', 'WRITE_ACP', 'FULL_CONTROL'] as const
export type Permission = (typeof permissions)[number]

/** Everyone, or all authenticated users. */
export type Group = 'AllUsers' | 'AuthenticatedUsers'
export type Grantee = { user: string } | { group: Group }
export interface Grant {
  to: Grantee
  permission: Permission
}
export type Acl = readonly Grant[]

export const MOST_GRANTS = 100

export type CannedAcl =
  | 'private'
  | 'public-read'
  | 'public-read-write'
  | 'authenticated-read'
  | 'bucket-owner-read'
  | 'bucket-owner-full-control'
export const isCannedAcl = (name: string): name is CannedAcl => Object.hasOwn(groupsOf, name)

/** Returns an ACL that grants access only to the owner. */
export const privateAcl = (owner: string): Grant[] => [{ to: { user: owner }, permission: 'FULL_CONTROL' }]

const groupsOf: Record<CannedAcl, readonly [Group, Permission][]> = {
  private: [],
  'public-read': [['AllUsers', 'READ']],
  'public-read-write': [
    ['AllUsers', 'READ'],
    ['AllUsers', 'WRITE'],
  ],
  'authenticated-read': [['AuthenticatedUsers', 'READ']],
  'bucket-owner-read': [],
  'bucket-owner-full-control': [],
}
const ofBucketOwner: Partial<Record<CannedAcl, Permission>> = {
  'bucket-owner-read': 'READ',
  'bucket-owner-full-control': 'FULL_CONTROL',
}

/** Returns the grants in a canned ACL. */
export function cannedGrants(name: CannedAcl, owner: string, bucketOwner: string): Grant[] {
  const permission = ofBucketOwner[name]
  return [
    ...groupsOf[name].map(([group, granted]): Grant => ({ to: { group }, permission: granted })),
    ...privateAcl(owner),
    ...(permission && owner !== bucketOwner ? [{ to: { user: bucketOwner }, permission }] : []),
  ]
}

const isGroup = ({ to }: Grant): boolean => 'group' in to

/** Whether an ACL grants access to everyone or to all authenticated users. */
export const isPublicAcl = (acl: Acl): boolean => acl.some(isGroup)

/** Whether only the owner has grants. */
export const isPrivateAcl = (acl: Acl, owner: string): boolean =>
  acl.every(({ to }) => 'user' in to && to.user === owner)

/** Puts groups first, which is the order that clients expect. */
export const inOrder = (acl: Acl): Grant[] => [...acl.filter(isGroup), ...acl.filter((it) => !isGroup(it))]

const isMeant = (to: Grantee, userId: string | null): boolean =>
  'user' in to ? to.user === userId : to.group === 'AllUsers' || userId !== null

/** Returns the grant that gives a user (null: anonymous) the permission, or undefined if there is none. */
export const grantFor = (acl: Acl, userId: string | null, permission: Permission): Grant | undefined =>
  acl.find((grant) => isMeant(grant.to, userId) && [permission, 'FULL_CONTROL'].includes(grant.permission))

/** The permission that an action requires on the bucket or object. ACLs cannot grant other actions. */
const needed = {
  's3:ListBucket': ['bucket', 'READ'],
  's3:ListBucketVersions': ['bucket', 'READ'],
  's3:ListBucketMultipartUploads': ['bucket', 'READ'],
  's3:PutObject': ['bucket', 'WRITE'],
  's3:DeleteObject': ['bucket', 'WRITE'],
  's3:GetBucketAcl': ['bucket', 'READ_ACP'],
  's3:PutBucketAcl': ['bucket', 'WRITE_ACP'],
  's3:GetObject': ['object', 'READ'],
  's3:GetObjectVersion': ['object', 'READ'],
  's3:GetObjectAttributes': ['object', 'READ'],
  's3:GetObjectVersionAttributes': ['object', 'READ'],
  's3:GetObjectAcl': ['object', 'READ_ACP'],
  's3:GetObjectVersionAcl': ['object', 'READ_ACP'],
  's3:PutObjectAcl': ['object', 'WRITE_ACP'],
  's3:PutObjectVersionAcl': ['object', 'WRITE_ACP'],
} as const satisfies Record<string, readonly ['bucket' | 'object', Permission]>

export const permissionFor = (action: string): { of: 'bucket' | 'object'; permission: Permission } | null => {
  const found = Object.hasOwn(needed, action) ? needed[action as keyof typeof needed] : null
  return found && { of: found[0], permission: found[1] }
}
