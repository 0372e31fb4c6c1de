import { canonicalIdOf } from '../accounts'
import { S3Error } from '../errors'
import { meansAnAction } from './actions'
import {
  conditionFault,
  contextKey,
  holds,
  patternsOf,
  zonelessTimes,
  type Condition,
  type Context,
} from './conditions'
import { isLike } from '@mainstay/contract/object-storage/wildcards'
import { parseUniqueJson } from '@mainstay/contract/core/unique-json'

/* Bucket policies, which can grant access to other users and deny access even to the owner. */

export const MOST_POLICY_BYTES = 20 * 1024
/**
 * Maximum number of characters and of asterisks in a pattern, to keep matching cheap. For a resource, only the
 * characters after the bucket count.
 */
const [MOST_PATTERN, MOST_STARS] = [1024, 10]

/** Everyone, or one user identified by user ID or canonical ID. */
type Principal = '*' | { user: string } | { canonical: string }

export interface Statement {
  sid: string | null
  effect: 'Allow' | 'Deny'
  principals: readonly Principal[]
  notPrincipals: boolean
  actions: readonly string[]
  notActions: boolean
  resources: readonly string[]
  notResources: boolean
  conditions: readonly Condition[]
}
export type Policy = readonly Statement[]

export interface Question {
  /** The requesting user; null for an anonymous request. */
  userId: string | null
  /** Such as `s3:GetObject`. */
  action: string
  /** `bucket` or `bucket/key`. */
  resource: string
  context: Context
  /** Whether values without an entry in the context are unknown rather than absent from the request. */
  isPartial?: boolean
}

/** A statement that applies to a question, with its effect. */
export interface Said {
  effect: Statement['effect']
  /** Position in the policy, starting at 1. */
  statement: number
  sid: string | null
  /** Conditions on unknown values. The statement applies only if they hold. */
  provided: readonly Condition[]
}

const malformed = (message: string): S3Error => new S3Error('MalformedPolicy', message)

/** Syntax of an action or action pattern. */
const actionName = /^s3:[A-Za-z*?]+$|^\*$/

const listOf = (value: unknown, what: string): string[] => {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0 || list.some((it) => typeof it !== 'string' || it === ''))
    throw malformed(`${what} must be a string or a list of strings`)
  return list as string[]
}

function principalOf(text: string): Principal {
  if (text === '*') return '*'
  // each account belongs to a single user, so `root` stands for that user
  const [, user, root, bare] = /^arn:aws:iam::(?:[^:]*:user\/(.+)|([^:]*):root)$|^([0-9a-f-]{32,64})$/.exec(text) ?? []
  const id = user ?? root ?? bare
  if (id === undefined) throw malformed(`Invalid principal in policy: ${text}`)
  return { user: id }
}

function principalsOf(value: unknown): Principal[] {
  if (value === '*') return ['*']
  const wrong = () => malformed('Principal must be "*", {"AWS": ...} or {"CanonicalUser": ...}')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong()
  const kinds = Object.entries(value)
  if (kinds.length === 0) throw wrong()
  return kinds.flatMap(([kind, names]: [string, unknown]) => {
    if (kind === 'AWS') return listOf(names, 'Principal').map(principalOf)
    if (kind === 'CanonicalUser') return listOf(names, 'Principal').map((canonical) => ({ canonical }))
    throw wrong()
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
  if (unknown !== undefined) throw malformed(`A statement cannot have the field ${unknown}`)
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
    if (name === undefined || !isLike(bucket, name.split('/')[0]!))
      throw malformed(`Policy has invalid resource: ${text} is not in this bucket`)
    return name
  })
  const sid = it['Sid'] ?? null
  if (sid !== null && typeof sid !== 'string') throw malformed('Sid must be a string')
  return {
    ...{
      sid,
      effect,
      principals: principalsOf(principal),
      notPrincipals,
      actions,
      notActions,
      resources,
      notResources,
    },
    conditions: conditionsOf(it['Condition']),
  }
}

/** Parses a bucket policy. Throws `MalformedPolicy` with the reason. */
export function readPolicy(text: string, bucket: string, parse: (text: string) => unknown = JSON.parse): Policy {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw malformed(`This policy contains invalid Json: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('A policy must be an object')
  const { Version: version, Statement: statements } = value as Record<string, unknown>
  const unknown = Object.keys(value).find((name) => !['Version', 'Id', 'Statement'].includes(name))
  if (unknown !== undefined) throw malformed(`A policy cannot have the field ${unknown}`)
  if (version !== undefined && version !== '2012-10-17' && version !== '2008-10-17')
    throw malformed('Version must be 2012-10-17')
  const list = Array.isArray(statements) ? (statements as unknown[]) : [statements]
  if (list.length === 0 || list[0] === undefined) throw malformed('Missing required field Statement')
  return list.map((it) => statementOf(it, bucket))
}

/**
 * Parses a new policy, with stricter rules than for existing policies. Also throws `MalformedPolicy` for unknown
 * actions (a misspelt Deny would have no effect), policy variables (they are not supported, so a Deny with one would
 * have no effect), duplicate names in an object (readers may see the wrong value), times without a time zone, and
 * patterns that are expensive to match.
 */
export function readNewPolicy(text: string, bucket: string): Policy {
  const policy = readPolicy(text, bucket, parseUniqueJson)
  const unknown = policy.flatMap(({ actions }) => actions).filter((action) => !meansAnAction(action))
  if (unknown.length > 0) throw malformed(`Policy has invalid action: ${[...new Set(unknown)].join(', ')}`)
  const texts = policy.flatMap(({ resources, conditions }) => [...resources, ...conditions.flatMap((it) => it.values)])
  const variable = texts.find((it) => it.includes('${'))
  if (variable !== undefined) throw malformed(`Policy variables are not supported: ${variable}`)
  const [zoneless] = policy.flatMap(({ conditions }) => conditions).flatMap(zonelessTimes)
  if (zoneless !== undefined)
    throw malformed(`${zoneless} is not an ISO 8601 time with a time zone, such as 2027-01-01T00:00:00Z`)
  policy.forEach(checkPatterns)
  return policy
}

/** Throws `MalformedPolicy` for a pattern that is expensive to match. */
function checkPatterns({ actions, resources, conditions }: Statement): void {
  const keys = resources.map((it) => it.slice(it.indexOf('/') + 1))
  const patterns = [...actions, ...keys, ...conditions.flatMap(patternsOf)]
  if (patterns.some((it) => it.length > MOST_PATTERN))
    throw malformed(`A pattern has at most ${MOST_PATTERN} characters`)
  if ([...patterns, ...resources].some((it) => it.split('*').length - 1 > MOST_STARS))
    throw malformed(`A pattern has at most ${MOST_STARS} asterisks`)
}

function isMeant({ principals, notPrincipals }: Statement, userId: string | null): boolean {
  const found = principals.some(
    (it) =>
      it === '*' || (userId !== null && ('user' in it ? it.user === userId : it.canonical === canonicalIdOf(userId))),
  )
  return found !== notPrincipals
}
function isAbout(statement: Statement, { action, resource }: Question): boolean {
  const asked = action.toLowerCase()
  return (
    statement.actions.some((it) => isLike(asked, it.toLowerCase())) !== statement.notActions &&
    statement.resources.some((it) => isLike(resource, it)) !== statement.notResources
  )
}

/** Returns the statements in a policy that apply to a question, in order. */
export const consult = (policy: Policy, question: Question): Said[] =>
  policy.flatMap((it, at) => {
    if (!isMeant(it, question.userId) || !isAbout(it, question)) return []
    const isOpen = ({ key }: Condition) => question.isPartial === true && !question.context.has(contextKey(key))
    const provided = it.conditions.filter(isOpen)
    if (!it.conditions.every((condition) => isOpen(condition) || holds(condition, question.context, it.effect)))
      return []
    return [{ effect: it.effect, statement: at + 1, sid: it.sid, provided }]
  })
