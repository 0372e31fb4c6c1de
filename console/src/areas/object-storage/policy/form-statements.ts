import { covers, isEveryone, list, statementsOf, type Statement } from './summary'

/** Permission levels offered by the form. */
export type May = 'read' | 'list' | 'write' | 'change' | 'full'

/** A statement as form fields. `who`: '*' for everyone, otherwise an ARN. `addresses`: comma-separated. */
export interface FormStatement {
  sid: string
  effect: 'Allow' | 'Deny'
  who: string
  may: May
  prefix: string
  addresses: string
}

export const actionsOf: Readonly<Record<May, readonly string[]>> = {
  read: ['s3:GetObject'],
  list: ['s3:ListBucket'],
  write: ['s3:PutObject'],
  change: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
  full: ['s3:*'],
}

/** Initial values of new statements. */
export const templates = {
  public: { sid: 'PublicRead', effect: 'Allow', who: '*', may: 'read', prefix: '', addresses: '' },
  person: { sid: 'OnePerson', effect: 'Allow', who: '', may: 'change', prefix: '', addresses: '' },
  box: { sid: 'DropBox', effect: 'Allow', who: '*', may: 'write', prefix: 'incoming/', addresses: '' },
  addresses: { sid: 'FromAddresses', effect: 'Allow', who: '*', may: 'read', prefix: '', addresses: '198.51.100.0/24' },
} as const satisfies Record<string, FormStatement>

const one = <Item>(items: readonly Item[]) => (items.length === 1 ? items[0]! : items)
const arnOf = (bucket: string, key?: string) => `arn:aws:s3:::${bucket}${key === undefined ? '' : `/${key}`}`
const partsOf = (text: string) => text.split(',').flatMap((it) => it.trim() || [])

/** Builds the JSON for a statement. */
export function statementOf({ sid, effect, who, may, prefix, addresses }: FormStatement, bucket: string): Statement {
  const condition = {
    ...(addresses.trim() !== '' && { IpAddress: { 'aws:SourceIp': one(partsOf(addresses)) } }),
    // s3:ListBucket applies to the bucket, so the prefix has to be a condition
    ...(may === 'list' && prefix !== '' && { StringLike: { 's3:prefix': `${prefix}*` } }),
  }
  const objects = arnOf(bucket, may === 'full' ? '*' : `${prefix}*`)
  return {
    ...(sid !== '' && { Sid: sid }),
    ...{ Effect: effect, Principal: who === '*' ? '*' : { AWS: who }, Action: one(actionsOf[may]) },
    Resource: may === 'full' ? [arnOf(bucket), objects] : may === 'list' ? arnOf(bucket) : objects,
    ...(Object.keys(condition).length > 0 && { Condition: condition }),
  }
}

/** An arbitrary but deterministic order, so that equal sets compare as equal. */
const byText = (one_: unknown, other: unknown) => (JSON.stringify(one_) < JSON.stringify(other) ? -1 : 1)
const same = (one_: unknown, other: unknown) => JSON.stringify(one_) === JSON.stringify(other)

/** Form fields for a statement; null if the form cannot represent all of it. */
export function fieldsOf(statement: Statement, bucket: string): FormStatement | null {
  const { Sid, Effect, Principal, Action, Resource, Condition } = statement
  const actions = list(Action)
  const may = (Object.keys(actionsOf) as May[]).find((it) =>
    same(actionsOf[it].toSorted(byText), actions.toSorted(byText)),
  )
  const who = isEveryone(Principal) ? ['*'] : list((Principal as { AWS?: unknown } | undefined)?.AWS)
  if (!may || who.length !== 1 || typeof who[0] !== 'string') return null
  const condition = (Condition ?? {}) as { IpAddress?: Record<string, unknown>; StringLike?: Record<string, unknown> }
  const addresses = list(condition.IpAddress?.['aws:SourceIp']).join(', ')
  const [resource] = list(Resource)
  const pattern: unknown =
    may === 'list' ? (condition.StringLike?.['s3:prefix'] ?? '*') : String(resource).slice(arnOf(bucket, '').length)
  const prefix = may === 'full' ? '' : String(pattern).replace(/\*$/, '')
  const fields: FormStatement = {
    ...{ sid: typeof Sid === 'string' ? Sid : '', effect: Effect === 'Deny' ? 'Deny' : 'Allow', who: who[0], may },
    ...{ prefix, addresses },
  }
  // otherwise saving would lose the parts that the form has no fields for
  return same(plain(statementOf(fields, bucket)), plain(statement)) ? fields : null
}

/** Normalizes a statement for comparison: fixed order, and arrays everywhere. */
function plain({ Sid, Effect, Principal, Action, Resource, Condition, ...more }: Statement): unknown {
  const conditions = Object.entries((Condition ?? {}) as Record<string, Record<string, unknown>>)
    .map(([operator, keys]) => [operator, Object.entries(keys).map(([key, value]) => [key, list(value)])])
    .sort(byText)
  const who = isEveryone(Principal) ? ['*'] : Principal
  return [Sid ?? '', Effect, who, list(Action).toSorted(byText), list(Resource).toSorted(byText), conditions, more]
}

/** Replaces the statements in a policy and keeps its other elements. */
export function withStatements(json: string, statements: readonly Statement[]): string {
  let before: Record<string, unknown> = {}
  try {
    before = JSON.parse(json) as Record<string, unknown>
  } catch {
    // the JSON is incomplete while the user is typing
  }
  return JSON.stringify({ Version: '2012-10-17', ...before, Statement: statements }, null, 2)
}

const ownerLoses = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket']

/** Whether the policy denies access to the bucket owner: never, always, or under a condition. */
export function lockOutOf(json: string, ownArn: string): 'never' | 'sometimes' | 'always' {
  const meant = statementsOf(json).filter(({ Effect, Principal, NotPrincipal, Action, NotAction }) => {
    if (Effect !== 'Deny') return false
    const names = (who: unknown) =>
      isEveryone(who) || list((who as { AWS?: unknown } | undefined)?.AWS).includes(ownArn)
    const isMeant = NotPrincipal === undefined ? names(Principal) : !names(NotPrincipal)
    const isAbout = ownerLoses.some((action) =>
      NotAction === undefined
        ? list(Action).some((it) => covers(it, action))
        : !list(NotAction).some((it) => covers(it, action)),
    )
    return isMeant && isAbout
  })
  if (meant.length === 0) return 'never'
  return meant.some(({ Condition }) => Condition === undefined) ? 'always' : 'sometimes'
}
