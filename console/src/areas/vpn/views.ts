/* The list and the details of VPN connections, fetched as one; forms are apart. */
export { default as VpnListPage } from './VpnListPage'
export { default as VpnPage } from './details/VpnPage'
