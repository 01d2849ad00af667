// Package sun says where the sun stands, and what panels and wind turbines make of the weather.
//
//	position of the sun                      NOAA's solar calculator, after Meeus, "Astronomical algorithms", 1991
//	irradiance under a clear sky             Haurwitz, Journal of Meteorology 2, 1945, with the factors of
//	                                         Reno, Hansen and Stein, SAND2012-2389, as in pvlib
//	P_solar = B (1 - cloud cover)            paper 000, section 4.2: Panels
//	P_wind = a v³ + b, by least squares      paper 000, section 4.2: Turbine, Fit
//	capacity is linear in power              paper 000, sections 4.2 and 5.4: Mix
//
// The paper gives neither a and b nor speeds at which its turbines start and stop: Micro has ours.
package sun

import "math"

const degree = math.Pi / 180

// A Place is where the sun is looked at from, in degrees: north and east are positive.
type Place struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// Position is where the centre of the sun stands, in degrees, without refraction: from the zenith,
// and from north by east. The time is in seconds since 1970, UTC. It is right to 0.02 degrees from
// 1950 to 2050.
func (p Place) Position(unix float64) (zenith, azimuth float64) {
	century := (unix/86400 + 2440587.5 - 2451545) / 36525
	longitude := 280.46646 + century*(36000.76983+century*0.0003032)
	anomaly := degree * (357.52911 + century*(35999.05029-century*0.0001537))
	eccentricity := 0.016708634 - century*(0.000042037+century*0.0000001267)
	centre := math.Sin(anomaly)*(1.914602-century*(0.004817+century*0.000014)) +
		math.Sin(2*anomaly)*(0.019993-century*0.000101) + math.Sin(3*anomaly)*0.000289
	node := degree * (125.04 - 1934.136*century)
	apparent := degree * (longitude + centre - 0.00569 - 0.00478*math.Sin(node))
	obliquity := degree * (23 + (26+(21.448-century*(46.815+century*(0.00059-century*0.001813)))/60)/60 + 0.00256*math.Cos(node))
	declination := math.Asin(math.Sin(obliquity) * math.Sin(apparent))

	y := math.Pow(math.Tan(obliquity/2), 2)
	l := degree * longitude
	equation := y*math.Sin(2*l) - 2*eccentricity*math.Sin(anomaly) + 4*eccentricity*y*math.Sin(anomaly)*math.Cos(2*l) -
		y*y/2*math.Sin(4*l) - 1.25*eccentricity*eccentricity*math.Sin(2*anomaly) // of time, as an angle
	hour := math.Mod(unix, 86400)/86400*2*math.Pi + equation + degree*p.Longitude - math.Pi

	latitude := degree * p.Latitude
	up := math.Sin(latitude)*math.Sin(declination) + math.Cos(latitude)*math.Cos(declination)*math.Cos(hour)
	east := -math.Cos(declination) * math.Sin(hour)
	north := math.Cos(latitude)*math.Sin(declination) - math.Sin(latitude)*math.Cos(declination)*math.Cos(hour)
	zenith = math.Acos(min(max(up, -1), 1)) / degree
	azimuth = math.Mod(math.Atan2(east, north)/degree+360, 360)
	return zenith, azimuth
}

// ClearSky is the irradiance of level ground under a clear sky, in W/m², by Haurwitz's model: 0
// where the sun is below the horizon.
func ClearSky(zenith float64) float64 {
	up := math.Cos(degree * zenith)
	return 1098 * max(up, 0) * math.Exp(-0.059/max(up, 1e-3))
}

// ClearMean is the mean of ClearSky from a time on, for so many seconds, by the midpoint rule with
// steps of at most five minutes.
func (p Place) ClearMean(unix, seconds float64) float64 {
	n := max(int(math.Ceil(seconds/300)), 1)
	sum := 0.0
	for i := range n {
		zenith, _ := p.Position(unix + (float64(i)+0.5)*seconds/float64(n))
		sum += ClearSky(zenith)
	}
	return sum / float64(n)
}
