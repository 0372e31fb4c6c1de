import { arnOf } from '../accounts'
import { S3Error } from '../errors'
import { conditionFault, holds, type Condition, type Context } from './conditions'
import { isLike } from './wildcards'

/* Bucket policies: who may do what with a bucket that is not theirs, or may not though it is. */

export const MOST_POLICY_BYTES = 20 * 1024

interface Statement {
  effect: 'Allow' | 'Deny'
  principals: readonly string[]
  notPrincipals: boolean
  actions: readonly string[]
  notActions: boolean
  resources: readonly string[]
  notResources: boolean
  conditions: readonly Condition[]
}
export type Policy = readonly Statement[]

export interface Question {
  /** The user who asks; null: nobody who signed. */
  userId: string | null
  /** As `s3:GetObject`. */
  action: string
  /** `bucket` or `bucket/key`. */
  resource: string
  context: Context
}

const malformed = (message: string): S3Error => new S3Error('MalformedPolicy', message)

/** The actions of S3 that can be asked for here; others may be named, and match nothing. */
const actionName = /^s3:[A-Za-z*?]+$|^\*$/

const listOf = (value: unknown, what: string): string[] => {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.some((it) => typeof it !== 'string' || it === ''))
    throw malformed(`${what} must be a text, or a list of texts`)
  return list as string[]
}

function principalsOf(value: unknown): string[] {
  if (value === '*') return ['*']
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('Principal must be "*" or {"AWS": ...}')
  const names = Object.keys(value)
  if (names.length !== 1 || names[0] !== 'AWS') throw malformed('Principal must be "*" or {"AWS": ...}')
  return listOf((value as { AWS: unknown }).AWS, 'Principal').map((text) => {
    if (text === '*' || /^arn:aws:iam::[^:]*:(user\/.+|root)$/.test(text)) return text
    throw new S3Error('MalformedPolicy', `Invalid principal in policy: ${text}`)
  })
}

function conditionsOf(value: unknown): Condition[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('Condition must be an object')
  return Object.entries(value).flatMap(([operator, keys]) => {
    if (typeof keys !== 'object' || keys === null || Array.isArray(keys))
      throw malformed(`Condition ${operator} must be an object`)
    return Object.entries(keys as object).map(([key, wanted]: [string, unknown]) => {
      const texts = (Array.isArray(wanted) ? wanted : [wanted]).map((it: unknown) =>
        typeof it === 'boolean' || typeof it === 'number' ? String(it) : it,
      )
      const condition = { operator, key, values: listOf(texts, `Condition ${key}`) }
      const fault = conditionFault(condition)
      if (fault !== null) throw malformed(`Policy has an invalid condition: ${fault}`)
      return condition
    })
  })
}

const fields = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
])

function statementOf(value: unknown, bucket: string): Statement {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('A statement must be an object')
  const it = value as Record<string, unknown>
  const unknown = Object.keys(it).find((name) => !fields.has(name))
  if (unknown !== undefined) throw malformed(`There is no field ${unknown} in a statement`)
  const { Effect: effect } = it
  if (effect !== 'Allow' && effect !== 'Deny') throw malformed('Effect must be Allow or Deny')
  const one = (name: string): [unknown, boolean] => {
    const [plain, negated] = [it[name], it[`Not${name}`]]
    if ((plain === undefined) === (negated === undefined))
      throw malformed(`A statement must have ${name} or Not${name}`)
    return plain === undefined ? [negated, true] : [plain, false]
  }
  const [principal, notPrincipals] = one('Principal')
  if (notPrincipals && effect === 'Allow') throw malformed('NotPrincipal can be used with Deny only')
  const [action, notActions] = one('Action')
  const [resource, notResources] = one('Resource')
  const actions = listOf(action, 'Action')
  const wrong = actions.find((name) => !actionName.test(name))
  if (wrong !== undefined) throw malformed(`Policy has invalid action: ${wrong}`)
  const resources = listOf(resource, 'Resource').map((text) => {
    const [, name] = /^arn:aws:s3:::(.+)$/.exec(text) ?? []
    if (name === undefined || (name !== bucket && !name.startsWith(`${bucket}/`)))
      throw malformed(`Policy has invalid resource: ${text} is not in this bucket`)
    return name
  })
  return {
    ...{ effect, principals: principalsOf(principal), notPrincipals, actions, notActions, resources, notResources },
    conditions: conditionsOf(it['Condition']),
  }
}

/** Reads the policy of a bucket. Throws `MalformedPolicy` with the reason. */
export function readPolicy(text: string, bucket: string): Policy {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed(`This policy contains invalid Json: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('A policy must be an object')
  const { Version: version, Statement: statements } = value as Record<string, unknown>
  const unknown = Object.keys(value).find((name) => !['Version', 'Id', 'Statement'].includes(name))
  if (unknown !== undefined) throw malformed(`There is no field ${unknown} in a policy`)
  if (version !== undefined && version !== '2012-10-17' && version !== '2008-10-17')
    throw malformed('Version must be 2012-10-17')
  const list = Array.isArray(statements) ? (statements as unknown[]) : [statements]
  if (list.length === 0 || list[0] === undefined) throw malformed('Missing required field Statement')
  return list.map((it) => statementOf(it, bucket))
}

function isMeant({ principals, notPrincipals }: Statement, userId: string | null): boolean {
  const found = principals.some(
    (text) => text === '*' || (userId !== null && (text === arnOf(userId) || text.endsWith(`:user/${userId}`))),
  )
  return found !== notPrincipals
}
const isAbout = (statement: Statement, { action, resource, context }: Question): boolean =>
  statement.actions.some((it) => isLike(action.toLowerCase(), it.toLowerCase())) !== statement.notActions &&
  statement.resources.some((it) => isLike(resource, it)) !== statement.notResources &&
  statement.conditions.every((condition) => holds(condition, context))

/** What a policy says to a question; null: nothing. */
export function decide(policy: Policy, question: Question): 'Allow' | 'Deny' | null {
  const said = policy.filter((it) => isMeant(it, question.userId) && isAbout(it, question)).map(({ effect }) => effect)
  return said.includes('Deny') ? 'Deny' : said.includes('Allow') ? 'Allow' : null
}
