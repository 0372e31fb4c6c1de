/*
 * The objects of traps and the MIB file that describes them. The enterprise number 32473 is reserved for documentation
 * (RFC 5612). It is a placeholder for the number that the operator of the product registers with IANA.
 */

/** OID of the product: `enterprises.32473.1`. */
const ROOT = '1.3.6.1.4.1.32473.1'

/** Notifications, by their number below `mainstayNotifications`. */
const notifications = {
  alertRaised: { number: 1, text: 'An alert was raised.' },
  alertClosed: { number: 2, text: 'The condition of an alert no longer holds. alertId names the alert.' },
  alertTest: { number: 3, text: 'An administrator sent a test. Only alertText and alertTime have values.' },
} as const
export type Notification = keyof typeof notifications

/** Objects of a notification, by their number below `mainstayObjects`, with their maximum size in bytes. */
const objects = {
  alertId: { number: 1, most: 64, text: 'ID of the alert, as in the console and the API.' },
  alertType: { number: 2, most: 64, text: 'Type of the alert, such as vm_error.' },
  alertSeverity: { number: 3, most: 16, text: 'critical, error, warning or info.' },
  alertText: { number: 4, most: 200, text: 'Description of the alert.' },
  alertObjectKind: { number: 5, most: 32, text: 'Type of the affected object, such as instance.' },
  alertObjectId: { number: 6, most: 64, text: 'ID of the affected object.' },
  alertObjectName: { number: 7, most: 200, text: 'Name of the affected object.' },
  alertDetails: { number: 8, most: 200, text: 'Details of the cause. Empty if unknown.' },
  alertTime: {
    number: 9,
    most: 32,
    text: 'Time at which the condition began to hold, or, for alertClosed, at which the alert was closed (RFC 3339).',
  },
} as const
export type NotificationValues = Readonly<Record<keyof typeof objects, string>>

const objectNames = Object.keys(objects) as (keyof typeof objects)[]

export const notificationOid = (name: Notification): string => `${ROOT}.0.${notifications[name].number}`

/** Truncates a text to this many bytes of UTF-8, without splitting a character. */
function cut(text: string, mostBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= mostBytes) return text
  let end = mostBytes
  // bytes of the form 10xxxxxx continue a character
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

/** Returns the objects of a notification. Together they fit into a datagram that no network has to fragment. */
export const notificationObjects = (values: NotificationValues): [oid: string, text: string][] =>
  objectNames.map((name) => [`${ROOT}.1.${objects[name].number}.0`, cut(values[name], objects[name].most)])

const objectText = (name: keyof typeof objects): string => `${name} OBJECT-TYPE
    SYNTAX      SnmpAdminString (SIZE (0..${objects[name].most}))
    MAX-ACCESS  accessible-for-notify
    STATUS      current
    DESCRIPTION "${objects[name].text}"
    ::= { mainstayObjects ${objects[name].number} }
`

const notificationText = (name: Notification): string => `${name} NOTIFICATION-TYPE
    OBJECTS     { ${objectNames.join(', ')} }
    STATUS      current
    DESCRIPTION "${notifications[name].text}"
    ::= { mainstayNotifications ${notifications[name].number} }
`

/** The MIB file, for receivers of traps. */
export const mib = `MAINSTAY-MIB DEFINITIONS ::= BEGIN

IMPORTS
    MODULE-IDENTITY, OBJECT-TYPE, NOTIFICATION-TYPE, enterprises
        FROM SNMPv2-SMI
    MODULE-COMPLIANCE, OBJECT-GROUP, NOTIFICATION-GROUP
        FROM SNMPv2-CONF
    SnmpAdminString
        FROM SNMP-FRAMEWORK-MIB;

mainstay MODULE-IDENTITY
    LAST-UPDATED "202611300000Z"
    ORGANIZATION "Mainstay"
    CONTACT-INFO "The operator of this installation"
    DESCRIPTION "Alerts as SNMPv2c traps. The enterprise number 32473 is reserved
        for documentation (RFC 5612) and stands for a registered one."
    ::= { enterprises 32473 1 }

mainstayNotifications OBJECT IDENTIFIER ::= { mainstay 0 }
mainstayObjects       OBJECT IDENTIFIER ::= { mainstay 1 }
mainstayConformance   OBJECT IDENTIFIER ::= { mainstay 2 }

${objectNames.map(objectText).join('\n')}
${(Object.keys(notifications) as Notification[]).map(notificationText).join('\n')}
mainstayObjectGroup OBJECT-GROUP
    OBJECTS     { ${objectNames.join(', ')} }
    STATUS      current
    DESCRIPTION "The objects of all notifications."
    ::= { mainstayConformance 1 }

mainstayNotificationGroup NOTIFICATION-GROUP
    NOTIFICATIONS { ${Object.keys(notifications).join(', ')} }
    STATUS      current
    DESCRIPTION "All notifications."
    ::= { mainstayConformance 2 }

mainstayCompliance MODULE-COMPLIANCE
    STATUS      current
    DESCRIPTION "All of this module is implemented."
    MODULE
    MANDATORY-GROUPS { mainstayObjectGroup, mainstayNotificationGroup }
    ::= { mainstayConformance 3 }

END
`
