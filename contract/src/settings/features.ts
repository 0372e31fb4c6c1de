import * as z from 'zod'
import { endpoints } from '../core/endpoint'

/** Where a feature is: in both panels, or in the self-service portal alone. */
export const featureTargets = ['common', 'self-service'] as const

/** Parts of the console that can be turned off: for everybody by the server, for oneself in the browser (S1§3). */
export const features = {
  'tasks-notifications': 'common',
  'keyboard-shortcuts': 'common',
  'project-search': 'self-service',
} as const satisfies Record<string, (typeof featureTargets)[number]>
export type FeatureId = keyof typeof features
export const featureIds = Object.keys(features) as FeatureId[]

export const Feature = z.object({
  id: z.string(),
  enabled: z.boolean(),
  metadata: z.object({ target: z.enum(featureTargets) }),
})
export type Feature = z.infer<typeof Feature>

export const featureCalls = endpoints({
  list: {
    verb: 'GET',
    path: '/features.json',
    needs: 'public',
    summary: 'Parts of the console that can be turned off, and whether they are on here',
    reply: z.array(Feature),
  },
})
